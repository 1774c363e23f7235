"""Projects with their own CMakeLists.txt: the same file here, with CUDA from wheels, and where CUDA is installed."""

import time
from pathlib import Path

import pytest

from grader.toolchain import library_messages, locate, tensorrt
from grader.toolchain.cmake import _cmake_messages, _which, build_library
from grader.toolchain.levels import SHARED_RUNTIME, reach
from grader.toolchain.records import Source
from grader.verdict import State

PAGE = (Path(__file__).parents[2] / "docs" / "plugin_libraries.md").read_text()
PROJECT = PAGE.split("```cmake\n")[1].split("```")[0].encode()  # what authors are told works
FILES = {
    "CMakeLists.txt": PROJECT,
    "plugin.cpp": b"""#include <NvInferRuntime.h>
#include "src/launch.h"
extern "C" int one() { return getPluginRegistry() && cudaGetLastError() == cudaSuccess ? 1 : 0; }
""",
    "kernel.cu": b"""#include "src/launch.h"
__global__ void scale(float* y) { y[threadIdx.x] *= 2; }
void launch(float* y, cudaStream_t stream) { scale<<<1, 32, 0, stream>>>(y); }
""",
    "src/launch.h": b"""#pragma once
#include <cuda_runtime_api.h>
extern "C" void launch(float* y, cudaStream_t stream);
""",
}
PLAIN = b"""cmake_minimum_required(VERSION 3.18)
project(plain LANGUAGES CXX)
add_library(plain SHARED plugin.cpp)
target_include_directories(plain SYSTEM PRIVATE $ENV{TENSORRT_ROOT}/include)
"""


@pytest.fixture(scope="module", autouse=True)
def lane():
    cuda = locate.toolkit()
    if not (locate.gxx() and cuda and cuda.nvcc and cuda.runtime and locate.cmake() and tensorrt.tensorrt_include()):
        pytest.skip("needs g++, nvcc, CMake and TensorRT's headers")


def fails(files, sentence, line, **options):
    library = build_library(files, **options)
    assert library.state is State.FAIL, library
    first = next(one for one in library.diagnostics if one.severity == "error")
    assert sentence in first.message and (first.line == line) and first.message in library.message, library


def test_a_project_is_built_unchanged_and_kept():
    first, second = build_library(FILES), build_library(FILES, target=None)
    assert (first.state, first.diagnostics) == (State.PASS, ()), first
    assert (first.cached, second.cached, second.path) == (False, True, first.path)
    found = reach(first.path)
    assert found.level == "L1" and {"one", "launch"} <= found.elf.exports
    assert b"/grader-" not in found.elf.fatbins  # no name of a folder of the grader's


def test_the_runtime_inside_is_built_and_said_to_stop_at_l0():
    project = b"""cmake_minimum_required(VERSION 3.18)
project(inside LANGUAGES CUDA)
add_library(inside SHARED kernel.cu)
"""
    files = FILES | {"CMakeLists.txt": project}
    library = build_library(files)
    assert library.state is State.PASS and reach(library.path).level == "L0"
    (warning,) = library.diagnostics
    assert warning.severity == "warning" and SHARED_RUNTIME in warning.message


def test_lessons_are_found_though_the_headers_are_the_systems():
    """A project may well take TensorRT's headers as system headers, and g++ then says nothing of what they hide."""
    text = b"""#include <NvInferRuntime.h>
struct Build : nvinfer1::IPluginV3OneBuild {
  size_t getWorkspaceSize(nvinfer1::PluginTensorDesc const*, int32_t, nvinfer1::PluginTensorDesc const*,
                          int32_t) const noexcept;
};
"""
    include = locate.cuda_include()
    project = PLAIN + f"target_include_directories(plain SYSTEM PRIVATE {include})\n".encode()
    fails({"CMakeLists.txt": project, "plugin.cpp": text}, "TensorRT never calls it", 3)


@pytest.mark.parametrize("project, sentence, line", [
    (b"project(x LANGUAGES NONE)\nmessage(FATAL_ERROR \"not today\")\n", "CMake says: not today", 2),
    (b"project(x LANGUAGES NONE)\nadd_custom_target(gone ALL COMMAND false)\n", "The build fails", None),
    (b"project(x LANGUAGES NONE)\nfind_package(TensorRT REQUIRED)\n", "CMake says: By not providing", 2),
    (b"project(x LANGUAGES NONE)\n", "makes no shared library: write add_library", None),
])  # fmt: skip
def test_what_cmake_says_is_told_at_its_line(project, sentence, line):
    fails({"CMakeLists.txt": b"cmake_minimum_required(VERSION 3.18)\n" + project}, sentence, line and line + 1)


@pytest.mark.parametrize("lines", [
    'string(REPEAT 1 5000 n)\nmessage("CMake Error at CMakeLists.txt:${n} (x):\\n  hello\\n")\n'
    'message(FATAL_ERROR "no")',
    'message(FATAL_ERROR "CMake Error: Could not find CMAKE_ROOT !!!")',
    'add_custom_target(spoil ALL COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/CMakeLists.txt '
    "${CMAKE_BINARY_DIR}/.cmake/api/v1/reply/target-a.json)",
], ids=["a line's number", "says that CMake is not whole", "spoils what CMake tells"])  # fmt: skip
def test_no_project_makes_its_failure_the_machines(lines):
    """Points of what is a fault of the grader's, or cannot run here, wait for a person, and are not lost."""
    project = f"cmake_minimum_required(VERSION 3.18)\nproject(x LANGUAGES NONE)\n{lines}\n".encode()
    assert build_library({"CMakeLists.txt": project}).state is State.FAIL


@pytest.mark.parametrize("log", [
    "CMake Error" + 100_000 * " at ", "CMake Error" + 7_000 * f" at a:{'1' * 60}", 20_000 * "a:1: error: x\n",
    "".join(f"/usr/x{n}.h:1:1: error: x\n" for n in range(15_000)), 70_000 * "ptxas ", "ptxas" + 400_000 * " ",
], ids=lambda log: log[:20])  # fmt: skip
def test_what_a_project_prints_is_read_in_time(log):
    """Each took minutes; it is read by the grader itself, which no limit stops."""
    began, source = time.process_time(), Source({"CMakeLists.txt": b""}, "CMakeLists.txt")
    _cmake_messages(log, source.files)
    library_messages.explain(log, source, strict=True, failed=True)
    assert time.process_time() - began < 20


def test_the_target_is_named_where_there_are_several():
    project = PLAIN + b"add_library(second MODULE other.cpp)\n"
    files = {"CMakeLists.txt": project, "plugin.cpp": b"int a;\n", "other.cpp": b"int b;\n"}
    fails(files, "several shared libraries (plain, second)", None)
    assert build_library(files, target="second").state is State.PASS
    assert _which("third", ["plain", "second"]) == "The project makes no shared library third; it makes plain, second."


def test_a_project_without_its_file_and_a_machine_without_cmake(monkeypatch):
    fails({"plugin.cpp": b"int a;\n"}, "no CMakeLists.txt at its top", None)
    monkeypatch.setattr(locate, "cmake", lambda: None)
    assert build_library(FILES).state is State.UNSUPPORTED_HERE
