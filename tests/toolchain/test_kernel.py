import subprocess
import sys
from shutil import which

import pytest

from grader.sandbox import Limits
from grader.toolchain import Source, compile_kernel, locate
from grader.toolchain.kernel import _plain_name
from grader.verdict import State

GELU = b"""#include <cuda_fp16.h>
#include "kernel_types.cuh"
extern "C" __global__ void gelu(const __half* x, __half* y, int64_t n) {
  int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = __float2half(erff(__half2float(x[i])));
}
"""
KERNEL = 'extern "C" __global__ void k(int* p) { p[0] = 1; }\n'


def compiled(text, **options):
    data = text.encode() if isinstance(text, str) else text
    return compile_kernel(Source({"answer.cu": data}, "answer.cu"), **options)


def test_a_kernel_becomes_ptx():
    result = compiled(GELU)
    assert result.state is State.PASS and result.message == "" and result.diagnostics == ()
    assert ".visible .entry gelu(" in result.ptx and ".target sm_80" in result.ptx
    assert '.file\t1 "answer.cu"' in result.ptx and "/tmp" not in result.ptx and "site-packages" not in result.ptx


def test_the_same_again_comes_from_the_cache():
    text = KERNEL + "// cached once\n"
    first, second = compiled(text), compiled(text)
    assert (first.cached, second.cached) == (False, True)
    assert first.ptx == second.ptx and first.state is second.state is State.PASS
    assert not compiled(text, options=["-DX=1"]).cached
    assert not compiled(text, arch="compute_90").cached


def test_a_damaged_cache_entry_is_compiled_again(cache):
    text = KERNEL + "// damaged\n"
    before = set((cache / "kernels").iterdir()) if (cache / "kernels").exists() else set()
    first = compiled(text)
    (entry,) = set((cache / "kernels").iterdir()) - before
    entry.write_bytes(entry.read_bytes().replace(b".entry k(", b".entry q("))
    second = compiled(text)
    assert not second.cached and second.ptx == first.ptx


def test_warnings_stay_with_the_cached_result():
    text = '#warning "look here"\n' + KERNEL
    for cached in (False, True):
        result = compiled(text)
        assert result.cached is cached
        (warning,) = result.diagnostics
        assert (warning.severity, warning.file, warning.line) == ("warning", "answer.cu", 1)
        assert "look here" in warning.message


def test_options_arch_and_files_of_the_exercise():
    files = {
        "answer.cu": b'#include "sub/part.cuh"\n' + KERNEL.replace("1", "VALUE").encode(),
        "sub/part.cuh": b"#define VALUE BLOCK\n",
    }
    result = compile_kernel(Source(files, "answer.cu"), arch="compute_90", options=["-DBLOCK=77"])
    assert result.state is State.PASS and "77;" in result.ptx and "sm_90" in result.ptx


def test_the_supplied_types_have_their_sizes():
    checks = "".join(
        f'static_assert(sizeof({sign}int{bits}_t) == {bits // 8}, "");\n'
        f'static_assert(({sign}int{bits}_t(-1) < 0) == {negative}, "");\n'
        for bits in (8, 16, 32, 64)
        for sign, negative in (("", "true"), ("u", "false"))
    )
    limits = 'static_assert(INT64_MAX == 0x7fffffffffffffff && INT32_MIN == -2147483647 - 1, "");\n'
    text = '#include "kernel_types.cuh"\n#include <kernel_types.cuh>\n' + checks + limits + KERNEL
    assert compiled(text).state is State.PASS
    if which("nvcc") and which("g++"):
        command = [
            "nvcc",
            "-ptx",
            "-x",
            "cu",
            "-arch=compute_80",
            f"-I{locate.supplied_include()}",
            "-o",
            "/dev/null",
            "-",
        ]
        done = subprocess.run(command, input=text, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "text, line, words",
    [
        (b"", 1, "empty"),
        (b" \n\t\n", 1, "empty"),
        (b"// todo\n/* nothing */\n", 1, "only comments"),
        (b"__device__ int f() { return 1; }", 1, "no kernel"),
        (b"#if 0\n__global__ void k() {}\n#endif\n__device__ int global__;", 1, "no kernel"),
        (b"template <class T> __global__ void k(T* p) {}", 1, "no kernel"),
        (b"int x\0;", 1, "binary"),
        (b"\x7fELF\2\1\1\0", 1, "binary"),
        (b"// \xe9\n", 1, "UTF-8"),
        (b" " * (1 << 20) + b"xx", None, "1 MB"),
    ],
)
def test_what_is_no_kernel_file(text, line, words):
    result = compiled(text)
    assert result.state is State.FAIL and result.ptx is None
    assert words in result.message and result.message.startswith("answer.cu")
    assert (result.diagnostics[0].file, result.diagnostics[0].line) == ("answer.cu", line)


def test_a_missing_file():
    result = compile_kernel(Source({}, "answer.cu"))
    assert result.state is State.FAIL and result.message.startswith("answer.cu: The file is missing")


@pytest.mark.parametrize("name", ["../x.cu", "/etc/passwd", "", "a/../b", "./a", "a//b", "a b", "a\n"])
def test_names_that_are_no_names(name):
    with pytest.raises(ValueError, match="plain relative"):
        Source({name: b""}, "answer.cu")


@pytest.mark.parametrize(
    "text, line, column, words",
    [
        ("\n#include <cstdint>\n" + KERNEL, 2, 19, "kernel_types.cuh"),
        ("#include <cmath>\n" + KERNEL, 1, 17, "built in"),
        ("#include <stdio.h>\n" + KERNEL, 1, 19, "printf and assert are built in"),
        ("#include <vector>\n" + KERNEL, 1, 18, "no standard library"),
        (KERNEL + "int f(int x) { return x; }\n", 2, 5, "__device__"),
        (KERNEL + "int table[3];\n", 2, 5, "__constant__"),
        (KERNEL + "int main() { return 0; }\n", 2, None, "main()"),
        (KERNEL + "void f() {\n k<<<1, 1>>>(0); }\n", 3, None, "<<<...>>>"),
        ('extern "C" __global__ void k(int64_t* p) {}', 1, 30, "kernel_types.cuh"),
        ('extern "C" __global__ void k(float* p) { p[0] = INFINITY; }', 1, 49, "Ask isinf(x), or write __int_as_"),
        ('extern "C" __global__ void k(float* p) { p[0] = NAN; }', 1, 49, "Ask isnan(x), or write __int_as_"),
        ('extern "C" __global__ void k(float* p) { p[0] = M_PI; }', 1, 49, "Write the number itself: 3.14"),
        ('extern "C" __global__ void k(float* p) { p[0] = FLT_MIN; }', 1, 49, "Write the number itself."),
        ('extern "C" __global__ void k(__half* p) {}', 1, 30, "cuda_fp16.h"),
        ('extern "C" __global__ void k(__nv_bfloat16* p) {}', 1, 30, "cuda_bf16.h"),
        ('extern "C" __global__ int k(int* p) { return 1; }', 1, 12, "void return type"),
        ('extern "C" __global__ void k(int* p) {\n  p[0] = q;\n}', 2, 10, 'identifier "q" is undefined'),
        ('extern "C" __global__ void k(int* p) {\n  p[0] = 1\n}\n', 3, 1, 'expected a ";"'),
        ('extern "C" __global__ void k(int* p) {\n', None, None, "At the end of the file"),
        ("#include <cooperative_groups.h>\n" + KERNEL, 1, None, "does not come with the kernel compiler"),
    ],
)
def test_mistakes_are_told_at_the_line(text, line, column, words):
    result = compiled(text)
    first = result.diagnostics[0]
    assert result.state is State.FAIL and result.ptx is None
    assert (first.severity, first.file, first.line, first.column) == ("error", "answer.cu", line, column)
    assert words in first.message and first.message in result.message
    for text in [result.log, *(diagnostic.message for diagnostic in result.diagnostics)]:
        assert "/tmp" not in text and "site-packages" not in text


def test_a_mistake_in_an_included_file():
    files = {
        "answer.cu": ('#include "part.cuh"\n' + KERNEL).encode(),
        "part.cuh": b"\n__device__ int f() { return x; }\n",
    }
    result = compile_kernel(Source(files, "answer.cu"))
    assert result.message == 'part.cuh, line 2: identifier "x" is undefined'


def test_a_file_that_includes_itself():
    files = {"answer.cu": ('#include "part.cuh"\n' + KERNEL).encode(), "part.cuh": b'#include "part.cuh"\n'}
    assert compile_kernel(Source(files, "answer.cu")).message.startswith("part.cuh, line 1: part.cuh includes itself")


@pytest.mark.parametrize("target", ['"/etc/passwd"', "</etc/passwd>", '"../../etc/passwd"', "P", '"/etc/pass\\\nwd"'])
def test_no_private_file_is_quoted(target):
    result = compiled(f'#define P "/etc/passwd"\n#include {target}\n' + KERNEL)
    assert result.state is State.FAIL and result.diagnostics[0].line == 2 and result.log == ""
    assert "root:" not in repr(result)


def test_a_kernel_that_is_not_extern_c_is_told():
    result = compiled('extern "C" __global__ void good(int* p) {}\n\n__global__ void scale(int* p) {}\n')
    (warning,) = result.diagnostics
    assert result.state is State.PASS
    assert (warning.severity, warning.file, warning.line) == ("warning", "answer.cu", 3)
    assert "scale" in warning.message and "_Z5scalePi" in warning.message and 'extern "C"' in warning.message


@pytest.mark.parametrize(
    "mangled, name",
    [
        ("_Z4geluPf", "gelu"),
        ("_ZN2my4geluEPf", "gelu"),
        ("_Z1kIiEvPT_", "k"),
        ("_ZN1aL1bEv", "b"),
        ("_Z", "_Z"),
    ],
)
def test_plain_names(mangled, name):
    assert _plain_name(mangled) == name


BOMB = """template <int N, int M> struct F { F<N - 1, 2 * M> a; F<N - 1, 2 * M + 1> b; };
template <int M> struct F<0, M> { int x; };
extern "C" __global__ void k(int* p) { p[0] = sizeof(F<26, 0>); }
"""


def test_a_template_that_grows_is_stopped():
    slow = compiled(BOMB, limits=Limits(wall_seconds=0.7))
    assert slow.state is State.TIMEOUT and "template" in slow.message
    large = compiled(BOMB, limits=Limits(wall_seconds=30.0, memory_bytes=250 << 20))
    assert large.state is State.OUT_OF_MEMORY and "template" in large.message


def test_no_compiler_here(monkeypatch):
    monkeypatch.setattr(locate, "_cuda_places", lambda: iter(()))
    result = compiled(KERNEL + "// nowhere")
    assert result.state is State.UNSUPPORTED_HERE and "make course" in result.message


def test_a_library_that_does_not_load(monkeypatch, tmp_path):
    real = locate.nvrtc()
    broken = tmp_path / "libnvrtc.so.13"
    broken.write_bytes(b"no library")
    monkeypatch.setattr(locate, "nvrtc", lambda: locate.Nvrtc(broken, None, real.include))
    result = compiled(KERNEL + "// broken library")
    assert result.state is State.UNSUPPORTED_HERE and "does not start" in result.message


def test_a_wrong_option_is_a_fault_of_the_exercise():
    result = compiled(KERNEL, options=["--no-such-option"])
    assert result.state is State.GRADER_FAULT and "NVRTC_ERROR_INVALID_OPTION" in result.message


def test_a_log_without_end_is_shortened():
    errors = "\n".join(f"__device__ int f{n}() {{ return undefined_{n}_{'x' * 200}; }}" for n in range(3000))
    result = compiled(KERNEL + errors + "\n")
    assert result.state is State.FAIL and len(result.diagnostics) <= 50 and len(result.log) < 1 << 20
    assert result.message.startswith("answer.cu, line 2: ")


def test_a_byte_order_mark_is_no_mistake():
    mark = b"\xef\xbb\xbf"
    files = {"answer.cu": mark + b'#include "b.h"\n' + KERNEL.encode(), "b.h": mark + b"#pragma once\n"}
    result = compile_kernel(Source(files, "answer.cu"))
    assert result.state is State.PASS and ".entry k(" in result.ptx
    assert "empty" in compiled(mark + b"\n").message


def test_why_the_compile_process_does_not_start_is_told(monkeypatch):
    # As where the package lies on the path alone: an isolated child does not find it.
    child = [sys.executable, "-I", "-m", "not_here"]
    monkeypatch.setattr("grader.toolchain.compile.python_child", lambda module: child)
    monkeypatch.setattr("grader.toolchain.cache.Cache.get", lambda *_: None)
    found = compiled(KERNEL)
    assert found.state is State.GRADER_FAULT
    assert "The compiler ended with exit code 1: " in found.message and "not_here" in found.message


def test_blank_lines_of_inline_assembly_are_read_once():
    """They stand in the PTX as they are; to look at each run of them from each of its lines would take an hour."""
    blank = "\n".join('asm volatile("' + r"\n" * 20_000 + '");' for _ in range(20))
    source = f'extern "C" __global__ void f(float* y) {{\n{blank}\ny[0] = 1; }}'
    compilation = compile_kernel(Source({"a.cu": source.encode()}, "a.cu"))
    assert compilation.state is State.PASS and compilation.ptx.count("\n") > 400_000
