"""What a library's file tells before anybody loads it, and how far the library will get."""

import platform
import random
import subprocess

import pytest

from grader.toolchain import Source, compile_library, fatbin, locate
from grader.toolchain.elf import ElfError, plain_name, read_elf
from grader.toolchain.levels import SHARED_RUNTIME, reach
from grader.toolchain.view import arrange, is_complete
from grader.verdict import State

KERNEL = b"""#include <cuda_runtime_api.h>
namespace { __global__ void fill(int* p) { p[threadIdx.x] = 1; } }
extern "C" void launch(int* p, cudaStream_t stream) { fill<<<1, 32, 0, stream>>>(p); }
int* getCreators(int& count) { count = 0; return nullptr; }
"""


@pytest.fixture(scope="module", autouse=True)
def cuda():
    found = locate.toolkit()
    if locate.gxx() is None or found is None or found.nvcc is None or found.runtime is None:
        pytest.skip("needs g++, nvcc and CUDA's runtime")
    return found


@pytest.fixture
def build():
    def build(**options):
        library = compile_library(Source({"k.cu": KERNEL}, "k.cu"), **options)
        assert library.state is State.PASS, library
        return library.path

    return build


@pytest.fixture(scope="module")
def link(tmp_path_factory, cuda):
    """Links C++ text (or object files) as anyone would; the library's path."""
    folder = tmp_path_factory.mktemp("links")

    def link(name, text="", *options, objects=()):
        source = folder / f"{name}.cpp"
        source.write_text(text)
        path = folder / f"{name}.so"
        command = ["g++", "-shared", "-fPIC", "-isystem", cuda.include, source, *objects, f"-L{folder}"]
        command += [f"-L{cuda.runtime.parent}", "-Wl,--no-as-needed", *options, "-o", path]
        subprocess.run(command, check=True)
        return path

    return link


@pytest.fixture(scope="module")
def compiled(tmp_path_factory, cuda):
    """A kernel file compiled by nvcc as anyone would; the object's path."""
    folder = tmp_path_factory.mktemp("objects")

    def compiled(name, *options):
        (folder / f"{name}.cu").write_bytes(KERNEL)
        command = [cuda.nvcc, "-Xcompiler", "-fPIC", *options, "-c", folder / f"{name}.cu", "-o", folder / f"{name}.o"]
        subprocess.run(command, check=True)
        return folder / f"{name}.o"

    return compiled


def fails(path, level, reason, rebuild):
    found = reach(path)
    assert found.loads == (level != "none"), found
    assert (found.level, reason in found.reason, rebuild in found.rebuild) == (level.replace("none", "L0"), True, True)


def test_a_library_of_the_course_reaches_the_simulated_gpu(build):
    found = reach(build())
    assert (found.level, found.reason, found.rebuild) == ("L1", "", "")
    elf = found.elf
    assert (elf.machine, elf.bits, elf.kind, elf.cuda) == (platform.machine(), 64, "shared", 13)
    assert "libcudart.so.13" in elf.needed and "launch" in elf.exports
    assert {one.library for one in elf.undefined if one.name == "__cudaLaunchKernel"} == {"libcudart.so.13"}
    assert elf.exports_mangled("getCreators") == "_Z11getCreatorsRi" and elf.exports_mangled("launch") is None
    assert any(one.startswith("GCC") for one in elf.compilers)
    assert [one.target for image in fatbin.images(elf.fatbins) for one in fatbin.entries(image)] == ["compute_80"]


def test_a_library_that_nvcc_links_reaches_it_too(cuda, compiled, tmp_path):
    """As by one call of an installed nvcc, whose link step adds a fat binary without entries."""
    code = ["-gencode", "arch=compute_80,code=compute_80"]
    nvcc = cuda.nvcc if is_complete(cuda.runtime) else arrange(tmp_path / "cuda", cuda.nvcc, cuda.include, cuda.runtime)
    path = tmp_path / "nvcc.so"
    subprocess.run([nvcc, *code, "-shared", "-cudart", "shared", compiled("virtual", *code), "-o", path], check=True)
    assert [] in [fatbin.entries(image) for image in fatbin.images(read_elf(path).fatbins)]
    fails(path, "L1", "", "")


def test_machine_code_alone_reaches_l0(build):
    fails(build(arch="sm_80"), "L0", "machine code only (sm_80), no PTX.", fatbin.REBUILD)


def test_ptx_for_newer_gpus_reaches_l0(build):
    fails(build(arch="compute_90"), "L0", "(compute_90); the simulated GPU has compute capability 8.0", fatbin.REBUILD)


def test_the_runtime_inside_reaches_l0_stripped_or_not(link, compiled):
    path = link("static", "", "-l:libcudart_static.a", objects=[compiled("plain")])
    fails(path, "L0", "CUDA runtime is linked into the library", SHARED_RUNTIME)
    subprocess.run(["strip", path], check=True)
    fails(path, "L0", "CUDA runtime is linked into the library", SHARED_RUNTIME)


def test_relocatable_device_code_reaches_l0(link, compiled, cuda, tmp_path):
    unit = compiled("relocatable", "-rdc=true", "-arch=sm_80")
    fails(link("unlinked", "", "-l:libcudart.so.13", objects=[unit]), "none", "nobody linked it", "without -rdc")
    linked = tmp_path / "linked.o"
    subprocess.run([cuda.nvcc, "-dlink", "-Xcompiler", "-fPIC", "-arch=sm_80", unit, "-o", linked], check=True)
    path = link("rdc", "", "-l:libcudart.so.13", objects=[unit, linked])
    fails(path, "L0", "its parts are linked as machine code only", "without -rdc")


@pytest.mark.parametrize("needed, function, reason, rebuild", [
    ("libcublas.so.13", "cublasSgemm_v2", "calls cuBLAS (cublasSgemm_v2)", "kernel of the plugin's own"),
    ("libcudnn_ops.so.9", "cudnnCreate", "calls cuDNN", "kernel of the plugin's own"),
    ("libnvrtc.so.12", "nvrtcCompileProgram", "calls NVRTC", "when the library is built"),
    ("libcuda.so.1", "cuLaunchKernel", "calls the CUDA driver (cuLaunchKernel)", "Call the CUDA runtime"),
    ("libcufft.so.12", "cufftExecC2C", "calls cufft", "kernel of the plugin's own"),
])  # fmt: skip
def test_a_library_that_calls_another_of_nvidias_reaches_l0(link, needed, function, reason, rebuild):
    other = link("other", f'extern "C" void {function}() {{}}', f"-Wl,-soname,{needed}")
    fails(link("idle", "", f"-l:{other.name}"), "L1", "", "")  # linked with it, and that is all
    calls = f'extern "C" void {function}(); void f() {{ {function}(); }}'
    fails(link("calls", calls, f"-l:{other.name}"), "L0", reason, rebuild)


@pytest.mark.parametrize("needed, level, reason, rebuild", [
    ("libcudart.so.11.0", "none", "runtime of CUDA 11", "CUDA 12 or 13"),
    ("libcudart.so.12", "L1", "", ""),
    ("libnvinfer.so.8", "none", "TensorRT 8", "TensorRT 10"),
    ("libnvinfer.so.11", "none", "TensorRT 11", "TensorRT 10"),
    ("libnvinfer.so.10", "L1", "", ""),
    ("libnvinfer_plugin.so.10", "L1", "", ""),
])  # fmt: skip
def test_the_cuda_and_tensorrt_that_a_library_needs_are_judged_by_name(link, needed, level, reason, rebuild):
    other = link("other", "", f"-Wl,-soname,{needed}")
    fails(link("needs", "", f"-l:{other.name}"), level, reason, rebuild)


def test_an_undefined_symbol_is_named(link):
    fails(link("open", 'namespace my { void gone(int); } extern "C" void f() { my::gone(1); }'), "none", "my::gone",
          "to the link")  # fmt: skip
    ours = 'extern "C" void* getPluginRegistry(); extern "C" int cudaGetLastError(); '
    ours += "void* f() { cudaGetLastError(); return getPluginRegistry(); }"
    assert reach(link("fine", ours)).level == "L1"


def test_other_files_are_told_for_what_they_are(tmp_path, link, compiled):
    fails(compiled("plain"), "none", "object file", "g++ -shared")
    for content, what in ((b"", "empty"), (b"#!/bin/sh\n", "a script"), (b"!<arch>\n", "static library"),
                          (b"MZ\x90\0", "Windows"), (b"hello", "no library of Linux")):  # fmt: skip
        (tmp_path / "file").write_bytes(content)
        fails(tmp_path / "file", "none", what, "")
    fails(tmp_path / "absent", "none", "No such file", "")
    fails(tmp_path, "none", "cannot be read", "")
    data = bytearray(link("ordinary").read_bytes())
    data[18] = 0xB7 if platform.machine() != "aarch64" else 0x3E
    (tmp_path / "file").write_bytes(data)
    fails(tmp_path / "file", "none", "and this machine is", "Build it on this machine")
    program = tmp_path / "program"
    (tmp_path / "main.cpp").write_text("int main() {}")
    subprocess.run(["g++", tmp_path / "main.cpp", "-o", program], check=True)
    fails(program, "none", "a program", "g++ -shared")


def test_section_headers_are_not_needed_to_load_a_library_nor_to_read_it(tmp_path, link):
    data = bytearray(link("bare", 'extern "C" void hello() {}', "-Wl,-soname,libbare.so").read_bytes())
    data[40:48], data[60:64] = bytes(8), bytes(4)  # e_shoff; e_shnum and e_shstrndx
    (tmp_path / "bare.so").write_bytes(data)
    elf = read_elf(tmp_path / "bare.so")
    assert elf.soname == "libbare.so" and "hello" in elf.exports


def test_damage_is_an_answer(tmp_path, build):
    whole, dice = build().read_bytes(), random.Random(3)
    for number in range(150):
        data = bytearray(whole if number % 3 else whole[: dice.randrange(len(whole))])
        for _ in range(dice.randrange(1, 20)):
            until = dice.choice([min(64, len(data)), min(2000, len(data)), len(data)])
            data[dice.randrange(until)] = dice.randrange(256)
        path = tmp_path / "damaged.so"
        path.write_bytes(data)
        assert reach(path).level in ("L1", "L0")
        try:
            read_elf(path)
        except ElfError as error:
            assert str(error).endswith(".")


def test_names():
    assert plain_name("_ZN2my6launchEPf") == "my::launch"
    assert plain_name("_Z11getCreatorsRi") == "getCreators"
    assert plain_name("_ZN12_GLOBAL__N_16launchIfEEvPf") == "launch"
    assert plain_name("getCreators") == "getCreators"
    assert plain_name("_ZTV3Foo") == "_ZTV3Foo"
