import pytest

from grader.gpu.signatures import signatures
from grader.simulator.ptx.parse import parse
from grader.toolchain import Source, compile_kernel

CODE = b"""#include <cuda_fp16.h>
struct __align__(16) Four { float a[4]; };
struct Odd { char a[3]; };
extern "C" __global__ void __launch_bounds__(128) f(
    const float* __restrict__ x, Four four, bool b, Odd odd, short d, __half h, double e, long long g)
{ *(float*)x = d + e; }
extern "C" __global__ void none() {}
extern "C" __global__ void __launch_bounds__(64, 2) one(int n) { if (n) __trap(); }
"""


def test_agrees_with_the_simulators_parser_on_the_compilers_ptx():
    ptx = compile_kernel(Source({"k.cu": CODE}, "k.cu")).ptx
    found = signatures(ptx)
    functions = parse(ptx).functions
    assert sorted(found) == sorted(name for name, f in functions.items() if f.kernel) == ["f", "none", "one"]
    for name, signature in found.items():
        assert [(p.type, p.size, p.align) for p in signature.parameters] == [
            (v.type, v.bytes, v.align) for v in functions[name].parameters
        ]
        assert signature.max_threads == functions[name].max_threads
    assert [p.offset for p in found["f"].parameters] == [0, 16, 32, 33, 36, 38, 40, 48]  # as the C++ struct of them


def test_pointers_of_newer_architectures_and_comments():
    ptx = """// .entry not_this(
    .visible .entry k(
        .param .u64 .ptr .align 1 k_param_0, /* a comment, with a comma */
        .param .u64 .ptr .global .align 4 k_param_1,
        .param .align 2 .b8 k_param_2[2]
    ) .reqntid 8, 4 { ret; }"""
    (found,) = signatures(ptx).values()
    assert found.name == "k" and found.max_threads == 32
    assert [(p.type, p.size, p.offset) for p in found.parameters] == [("u64", 8, 0), ("u64", 8, 8), ("b8", 2, 16)]


def test_what_is_not_understood_is_said():
    with pytest.raises(ValueError, match="kernel k: a parameter that is not understood: .param .texref t"):
        signatures(".entry k(.param .texref t) { ret; }")
