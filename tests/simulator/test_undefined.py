"""Shared and global memory that nobody wrote: copies pass, uses are faults at the load."""

from __future__ import annotations

import numpy as np
import pytest
from small_kernels import KERNEL, fault_of, line_of


def test_padding_may_be_copied(bench):
    text = (
        "struct P { double v; int i; };\n"
        + KERNEL
        + """(double* y)
{
    __shared__ P s[32];
    int t = threadIdx.x;
    s[t].v = (t * 7) % 32;
    s[t].i = t;
    __syncthreads();
    for (int d = 16; d; d >>= 1) {
        if (t < d && s[t].v < s[t + d].v) s[t] = s[t + d];
        __syncthreads();
    }
    if (t == 0) y[0] = s[0].v, y[1] = s[0].i;
}"""
    )
    y = bench.device.alloc(16)
    assert fault_of(bench, text, y) is None
    assert bench.fetch(y, 2, np.float64).tolist() == [31, 9]


@pytest.mark.parametrize("kind", ["int", "float", "char", "double", "short"])
@pytest.mark.parametrize("value", ["s[t]", "s[t] * 2", "s[t] + s[t ^ 1] * 3"])
def test_what_is_not_selected_may_be_undefined(bench, kind, value):
    text = (
        KERNEL
        + f"""({kind}* y)
{{
    __shared__ {kind} s[32];
    int t = threadIdx.x;
    if (t < 20) s[t] = t;
    __syncthreads();
    {kind} v = {value};
    y[t] = t < 20 ? v : {kind}(1);
}}"""
    )
    y = bench.device.alloc(32 * 8)
    assert fault_of(bench, text, y) is None


@pytest.mark.parametrize(
    "statement",
    [
        "y[t] = s[t];",
        "y[t] = s[t] * 2;",
        "if (s[t] > 5) y[t] = 1;",
        "y[s[t] & 31] = 1;",
        "y[t] = __shfl_xor_sync(~0u, s[t], 1);",
        "atomicAdd(&y[t], s[t]);",
        "atomicAdd(&s[t], 1);",
        "s[t] += s[t];",
    ],
)
def test_a_use_is_a_fault_at_the_load(bench, statement):
    text = (
        KERNEL
        + f"""(int* y)
{{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 20) s[t] = 1;
    __syncthreads();
    {statement}  // here
    __syncthreads();
    y[t] += s[t];
}}"""
    )
    fault = fault_of(bench, text, bench.device.alloc(128, fill=0))
    assert (fault.kind, fault.thread, fault.line) == ("uninitialised_shared", (20, 0, 0), line_of(text))
    assert (fault.address, fault.size, fault.space) == (80, 4, "shared")


def test_a_copy_of_what_nobody_wrote_counts_as_not_written(bench):
    text = (
        KERNEL
        + """(int* y)
{
    __shared__ int s[32], r[32];
    int t = threadIdx.x;
    if (t < 20) s[t] = 1;
    __syncthreads();
    r[31 - t] = s[t];
    __syncthreads();
    if (t >= 12) y[t] = r[t];
    __syncthreads();
    y[t] = r[t];  // here
}"""
    )
    fault = fault_of(bench, text, bench.device.alloc(128))
    assert (fault.kind, fault.thread, fault.line) == ("uninitialised_shared", (0, 0, 0), line_of(text))


def test_a_register_that_is_written_again_is_defined(bench):
    text = """.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %d<2>; .reg .b32 %r<4>; .reg .pred %q<2>; .shared .align 4 .b8 s[128];
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %tid.x;
    ld.shared.u32 %r2, [s];
    add.u32 %r3, %r2, 1;
    setp.lt.u32 %q1, %r1, 16;
    mov.u32 %r2, 5;
    @%q1 mov.u32 %r3, 6;
    @!%q1 mov.u32 %r3, %r2;
    st.global.u32 [%d1], %r3;
    ret;
}"""
    y = bench.device.alloc(4)
    assert bench.launch(bench.device.load(text), "k", (2,), (32,), y, races=False).fault is None
    half = text.replace("@!%q1 mov.u32 %r3, %r2;", "")
    fault = bench.launch(bench.device.load(half), "k", (2,), (32,), y, races=False).fault
    assert (fault.kind, fault.thread) == ("uninitialised_shared", (16, 0, 0))


def test_each_block_begins_without_undefined_registers_and_calls_keep_their_own(bench):
    text = (
        "__device__ __noinline__ int twice(int x) { return 2 * x; }\n"
        + KERNEL
        + """(int* y)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 20) s[t] = 1;
    __syncthreads();
    int v = s[t];
    y[t] = twice(t) + (t < 20 ? v : 0);
}"""
    )
    y = bench.device.alloc(128)
    assert fault_of(bench, text, y, grid=(3,)) is None
    assert bench.fetch(y, 32, np.int32).tolist() == [2 * t + (t < 20) for t in range(32)]


@pytest.mark.parametrize(
    "statement",
    [
        "y[t] = x[t];",
        "y[t] = x[t] * 2;",
        "if (x[t] > 5) y[t] = 1;",
        "y[x[t] & 31] = 1;",
        "y[t] = __shfl_xor_sync(~0u, x[t], 1);",
        "atomicAdd(&y[t], x[t]);",
        "atomicAdd(&x[t], 1);",
    ],
)
def test_global_memory_that_nobody_wrote(bench, statement):
    text = KERNEL + f"(int* x, int* y)\n{{\n    int t = threadIdx.x;\n    {statement}  // here\n}}"
    x, y = bench.device.alloc(128, name="x"), bench.device.alloc(128, fill=0)
    bench.device.write(x, bytes(80))
    fault = fault_of(bench, text, x, y)
    assert (fault.kind, fault.thread, fault.line) == ("uninitialised_global", (20, 0, 0), line_of(text))
    assert (fault.buffer, fault.offset, fault.size, fault.space) == ("x", 80, 4, "global")
    assert "byte 80 of buffer x, a byte that neither the host nor a kernel has written" in fault.sentence


@pytest.mark.parametrize("writer", ["x[t] = 1;", "atomicExch(&x[t], 1);", "((char4*)x)[t] = {1, 0, 0, 0};"])
def test_what_a_launch_wrote_stays_written(bench, writer):
    """For the next launch; what it did not write stays unwritten."""
    write = KERNEL + f"(int* x, int n) {{ int t = threadIdx.x; if (t < n) {{ {writer} }} }}"
    read = KERNEL + "(int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }"
    x, y = bench.device.alloc(128, name="x"), bench.device.alloc(128)
    assert fault_of(bench, write, x, 9) is None
    assert fault_of(bench, read, x, y).thread == (9, 0, 0)
    assert fault_of(bench, write, x, 32) is None
    assert fault_of(bench, read, x, y) is None


@pytest.mark.parametrize("options", [{"fill": 7}, {"sparse": True}])
def test_memory_that_begins_with_something(bench, options):
    read = KERNEL + "(int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }"
    assert fault_of(bench, read, bench.device.alloc(128, **options), bench.device.alloc(128)) is None


def test_a_vector_that_reaches_over_what_was_written(bench):
    text = KERNEL + "(float4* x, float* y) { float4 v = x[threadIdx.x]; y[threadIdx.x] = threadIdx.x ? v.x : v.w; }"
    x, y = bench.device.alloc(32, name="x"), bench.device.alloc(8)
    bench.device.write(x, bytes(20))
    assert fault_of(bench, text, x, y, block=(2,)) is None
    assert fault_of(bench, text, x + 16, y, block=(1,)).offset == 28


def test_freed_memory_is_unwritten_again_and_variables_begin_with_zeros(bench):
    text = "__device__ int v[32];\n" + KERNEL + "(int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + v[threadIdx.x]; }"
    x, y = bench.array(np.zeros(32, np.int32)), bench.device.alloc(128)
    assert fault_of(bench, text, x, y) is None
    bench.device.reset()
    x, y = bench.device.alloc(128), bench.device.alloc(128)
    assert fault_of(bench, text, x, y).kind == "uninitialised_global"


@pytest.mark.parametrize("members", ["int a; char c;", "double a; char c;", "int a; short b; char c;"])
def test_structures_are_copied_with_their_padding(bench, members):
    struct = f"struct P {{ {members} }};\n"
    names = [member.split()[1] for member in members.split(";")[:-1]]
    fill = struct + KERNEL + "(P* x) {" + "".join(f" x[threadIdx.x].{name} = 1;" for name in names) + " }"
    copy = struct + KERNEL + "(P* x, P* y) { y[threadIdx.x] = x[31 - threadIdx.x]; }"
    x, y = bench.device.alloc(512, name="x"), bench.device.alloc(512)
    assert fault_of(bench, copy, x, y).kind == "uninitialised_global"
    assert fault_of(bench, fill, x) is None
    assert fault_of(bench, copy, x, y) is None
