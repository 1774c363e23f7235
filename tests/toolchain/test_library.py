"""Plugin libraries from source: what is built, what is kept, and what is refused with a lesson."""

import re

import pytest

from grader.toolchain import Source, compile_library, fatbin, locate, tensorrt
from grader.verdict import State

KERNEL = b"""#include <cuda_fp16.h>
#include "launch.hpp"
__global__ void scale(__half* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2half(a * __half2float(y[i]));
}
int launchScale(void* y, float a, int n, cudaStream_t stream) {
  scale<<<(n + 255) / 256, 256, 0, stream>>>(static_cast<__half*>(y), a, n);
  return static_cast<int>(cudaGetLastError());
}
"""
LAUNCH = b"""#pragma once
#include <cuda_runtime_api.h>
int launchScale(void* y, float a, int n, cudaStream_t stream);
"""
PLUGIN = """#include <NvInferRuntime.h>
#include "launch.hpp"
using namespace nvinfer1;

class Scale : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
 public:
  IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
    if (type == PluginCapabilityType::kBUILD) return static_cast<IPluginV3OneBuild*>(this);
    if (type == PluginCapabilityType::kRUNTIME) return static_cast<IPluginV3OneRuntime*>(this);
    return static_cast<IPluginV3OneCore*>(this);
  }
  IPluginV3* clone() noexcept override { return new Scale(*this); }
  AsciiChar const* getPluginName() const noexcept override { return "Scale"; }
  AsciiChar const* getPluginVersion() const noexcept override { return "1"; }
  AsciiChar const* getPluginNamespace() const noexcept override { return ""; }
  int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                          int32_t) noexcept override { return 0; }
  int32_t getOutputDataTypes(DataType* out, int32_t, DataType const* in, int32_t) const noexcept override {
    out[0] = in[0];
    return 0;
  }
  int32_t getOutputShapes(DimsExprs const* in, int32_t, DimsExprs const*, int32_t, DimsExprs* out, int32_t,
                          IExprBuilder&) noexcept override { out[0] = in[0]; return 0; }
  bool supportsFormatCombination(int32_t, DynamicPluginTensorDesc const*, int32_t, int32_t) noexcept override {
    return true;
  }
  int32_t getNbOutputs() const noexcept override { return 1; }
  size_t getWorkspaceSize(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                          int32_t) const noexcept override { return 0; }
  int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override {
    return 0;
  }
  int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const*, void* const* out, void*,
                  cudaStream_t stream) noexcept override {
    int64_t const* extents = in[0].dims.d;
    return launchScale(out[0], 2.0F, static_cast<int>(extents[0]), stream);
  }
  IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
  PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &fields; }

 private:
  PluginFieldCollection fields{0, nullptr};
};

extern "C" IPluginV3* make() {
  getPluginRegistry();
  return new Scale;
}
"""
FILES = {"plugin.cpp": PLUGIN.encode(), "scale.cu": KERNEL, "launch.hpp": LAUNCH}


@pytest.fixture(scope="module", autouse=True)
def lane():
    cuda = locate.toolkit()
    if locate.gxx() is None or cuda is None or cuda.nvcc is None or tensorrt.tensorrt_include() is None:
        pytest.skip("needs g++, nvcc and TensorRT's headers")


def changed(old: str, new: str) -> dict[str, bytes]:
    assert old in PLUGIN
    return {"plugin.cpp": PLUGIN.replace(old, new).encode(), "launch.hpp": LAUNCH}


def built(files=FILES, main="plugin.cpp", **options):
    return compile_library(Source(files, main), **options)


def lesson(files, main="plugin.cpp", **options):
    """Message and line of the first error."""
    library = built(files, main, **options)
    assert library.state is State.FAIL, library
    first = next(one for one in library.diagnostics if one.severity == "error")
    assert library.path is None and first.message in library.message
    return first.message, first.line


def line_of(text, source=PLUGIN):
    return source[: source.index(text)].count("\n") + 1


def test_a_plugin_is_built_once_and_each_file_is_kept():
    first, second = built(), built()
    assert (first.state, first.message, first.diagnostics) == (State.PASS, "", ())
    assert (first.cached, second.cached) == (False, True)
    assert first.path == second.path and first.path.suffix == ".so"
    data = first.path.read_bytes()
    sections = list(fatbin.images(data))
    assert len(sections) == 1
    ptx = fatbin.ptx_of(sections[0])
    assert ".entry _Z5scaleP6__halffi(" in ptx and re.search(r'^\.file\s+1 "scale.cu"$', ptx, re.M)
    assert "/grader-" not in ptx


def test_a_change_compiles_one_file(cache):
    def objects():
        return set((cache / "objects").glob("*.entry"))

    first, before = built(), objects()
    other = {"plugin.cpp": PLUGIN.replace("2.0F", "3.0F").encode(), "a.cpp": b"int unrelated = 1;\n"}
    again = built(FILES | other)
    assert again.state is State.PASS and not again.cached and again.path != first.path
    assert len(objects() - before) == 2
    built(FILES | {"launch.hpp": LAUNCH + b"// used by both\n"})
    assert len(objects() - before) == 4


@pytest.mark.parametrize("old, new, sentence, at", [
    ("IPluginV3* clone() noexcept override", "IPluginV3* clone() noexcept", "Scale::clone.*write override",
     "* clone()"),
    ("cudaStream_t stream) noexcept override {", "cudaStream_t stream) override {", "enqueue must be noexcept",
     "int32_t enqueue("),
    ("  int32_t onShapeChange(", "  int32_t onShapesChange(", "onShapesChange.*overrides nothing",
     "int32_t onShapeChange("),
    ("  int32_t getNbOutputs() const noexcept override { return 1; }\n", "",
     r"lacks getNbOutputs.*Declare it as int32_t getNbOutputs\(\) const noexcept override", "class Scale"),
    ("int64_t const* extents", "int32_t const* extents", "Dims holds int64_t", "extents = in"),
    ("getPluginRegistry();", "int getPluginRegistry;", "launchScale.*none of your files defines", "return launchScale"),
    ("return new Scale;", "return new Sale;", "Sale", "return new Scale;"),
    ("#include <NvInferRuntime.h>", "#include <NvInferRuntimes.h>", "cannot be included here", "#include <Nv"),
    ("#include <NvInferRuntime.h>", "#include <cublas_v2.h>", "write that step as a kernel", "#include <Nv"),
])  # fmt: skip
def test_what_a_compiler_finds_becomes_a_lesson_at_its_line(old, new, sentence, at):
    message, line = lesson(changed(old, new))
    assert re.search(sentence, message), message
    assert line == line_of(at)


def test_a_method_with_the_parameters_of_the_old_interface_is_never_called():
    """NVIDIA/TensorRT#4263: getWorkspaceSize of IPluginV2DynamicExt in a class of IPluginV3."""
    old = PLUGIN[
        PLUGIN.index("size_t getWorkspaceSize(") : PLUGIN.index(" override { return 0; }\n  int32_t onShapeChange")
    ]
    new = old.replace("DynamicPluginTensorDesc", "PluginTensorDesc")
    files = changed(old + " override", new)
    message, line = lesson(files)
    assert line == line_of("size_t getWorkspaceSize(")
    parameters = (
        "(DynamicPluginTensorDesc const* inputs, int32_t nbInputs, DynamicPluginTensorDesc const* outputs, "
        "int32_t nbOutputs)"
    )
    assert message.endswith(f"Declare it as size_t getWorkspaceSize{parameters} const noexcept override.")
    kernel = {"plugin.cu": files["plugin.cpp"], "launch.hpp": LAUNCH}
    assert lesson(kernel, "plugin.cu") == (message, line)  # nvcc says the same
    kept = built(files | {"scale.cu": KERNEL}, strict=False)
    assert kept.state is State.PASS and [one.severity for one in kept.diagnostics] == ["warning"]


def test_the_old_interface_is_built_without_false_alarm():
    body = """#include <NvInferRuntime.h>
using namespace nvinfer1;
class Old : public IPluginV2DynamicExt {
  void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                       int32_t) noexcept override {}
  size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) const noexcept override {
    return 0;
  }
};
Old* old();
"""
    for suffix in ("cpp", "cu"):
        library = built({f"old.{suffix}": body.encode()}, f"old.{suffix}")
        assert library.state is State.PASS
        assert library.diagnostics == ()


def test_nvcc_and_ptxas_are_read():
    wrong = KERNEL.replace(b"if (i < n)", b"if (k < n)")
    assert lesson(FILES | {"scale.cu": wrong}) == ('identifier "k" is undefined', 5)
    wrong = KERNEL.replace(b"if (i < n)", b'asm volatile("nonsense;"); if (i < n)')
    message, _ = lesson(FILES | {"scale.cu": wrong}, arch="sm_80")
    assert message.startswith("ptxas refuses line") and "nonsense" in message


def test_files_that_the_assembler_would_read_are_not_shown():
    """Host code is looked through behind both compilers, since macros can hide the order from a look at the source."""
    order = b'.incbin \\"/etc/hostname\\"'
    hidden = b"#define A as##m\n#define B(x) A(x)\n"
    for name in ("trick.cpp", "trick.cu"):
        text = b'#define ASM(a, b) a##b\nvoid trick() { ASM(as, m)("' + order + b'"); }\n' + hidden
        message, _ = lesson({name: text}, name)
        assert message == "Something in your files gives orders to the assembler: write it in plain C++."
    message, line = lesson({"a.cpp": b'void f() { asm("nop"); }\n'}, "a.cpp")
    assert (message, line) == ("Inline assembly is not accepted in host code: write it in C++.", 1)


def test_flags_and_code_for_one_gpu():
    library = built(
        FILES | {"scale.cu": KERNEL + b"#ifndef BLOCK\n#error no\n#endif\n"}, arch="sm_80", flags=["-DBLOCK=2"]
    )
    entries = [one for image in fatbin.images(library.path.read_bytes()) for one in fatbin.entries(image)]
    assert [one.target for one in entries] == ["sm_80"]


@pytest.mark.parametrize("mode, compression", [("speed", "lz4"), ("default", "zstd")])
def test_every_way_in_which_nvcc_packs_ptx_is_read(mode, compression):
    library = built({"k.cu": b"__global__ void k(int* p) { *p = threadIdx.x; }\n"}, "k.cu",
                    kernel_flags=[f"--compress-mode={mode}"])  # fmt: skip
    (image,) = fatbin.images(library.path.read_bytes())
    assert [one.compression for one in fatbin.entries(image)] == [compression]
    assert ".entry _Z1kPi" in fatbin.ptx_of(image)


def test_the_compiler_is_found_in_an_empty_environment(monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    assert locate.nvcc() == locate.toolkit().nvcc


def test_without_nvcc_or_headers_nobody_fails(monkeypatch):
    monkeypatch.setattr(locate, "toolkit", lambda: None)
    library = built()
    assert library.state is State.UNSUPPORTED_HERE and "nvcc" in library.message
    monkeypatch.undo()
    monkeypatch.setattr("grader.toolchain.library.tensorrt_include", lambda: None)
    library = built()
    assert library.state is State.UNSUPPORTED_HERE and "headers" in library.message


def test_nothing_to_compile_is_said():
    assert lesson({"a.hpp": b"int a;\n"}, "a.hpp")[0].startswith("There is nothing to compile")
    assert lesson({}, "a.cpp")[0].startswith("The file is missing")
    assert lesson({"a.cpp": b"// later\n"}, "a.cpp")[0].startswith("The file is empty")
