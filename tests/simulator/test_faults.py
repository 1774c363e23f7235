"""Faults of threads together, and of a kernel that stops itself: the right kind, thread and line."""

from __future__ import annotations

import numpy as np
import pytest
from small_kernels import KERNEL, fault_of, line_of

from grader.simulator.backend import DEFAULT_BUDGET


def test_shared_memory_that_nobody_wrote(bench):
    text = (
        KERNEL
        + """(float* y)
{
    __shared__ float t[64];
    if (threadIdx.x < 40) t[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = t[threadIdx.x];  // here
}"""
    )
    fault = fault_of(bench, text, bench.device.alloc(1024), block=(64,))
    assert (fault.kind, fault.thread, fault.line) == ("uninitialised_shared", (40, 0, 0), line_of(text))


def test_each_block_begins_with_fresh_shared_memory(bench):
    text = KERNEL + "(int* y) { __shared__ volatile int t; if (blockIdx.x == 0) t = 1; *y = t; }"
    assert fault_of(bench, text, bench.device.alloc(4), grid=(2,), block=(1,)).block == (1, 0, 0)


def test_a_missing_barrier_shows(bench):
    text = (
        KERNEL
        + """(float* y)
{
    __shared__ float t[256];
    t[threadIdx.x] = 1;
    y[threadIdx.x] = t[255 - threadIdx.x];  // here
}"""
    )
    fault = fault_of(bench, text, bench.device.alloc(1024), block=(256,))
    assert (fault.kind, fault.line) == ("uninitialised_shared", line_of(text))


def test_a_barrier_in_divergent_code(bench):
    text = (
        KERNEL
        + """(float* y)
{
    __shared__ float t[32];
    t[threadIdx.x] = 1;
    if (threadIdx.x & 1) {
        __syncthreads();  // here
        y[threadIdx.x] = t[threadIdx.x ^ 2];
    } else {
        y[threadIdx.x] = t[threadIdx.x];
    }
}"""
    )
    fault = fault_of(bench, text, bench.device.alloc(128))
    assert (fault.kind, fault.line, fault.thread) == ("barrier", line_of(text), (0, 0, 0))


def test_threads_that_left_are_not_waited_for(bench):
    text = (
        KERNEL
        + """(int* y, int n)
{
    __shared__ int t[64];
    t[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= n) return;
    __syncthreads();
    y[threadIdx.x] = t[n - 1 - threadIdx.x];
}"""
    )
    y = bench.device.alloc(256)
    assert fault_of(bench, text, y, 40, block=(64,)) is None
    np.testing.assert_array_equal(bench.fetch(y, 40, np.int32), np.arange(40)[::-1])


def test_a_shuffle_without_some_of_its_lanes(bench):
    text = (
        KERNEL
        + """(float* y)
{
    float v = threadIdx.x;
    if (threadIdx.x < 16)
        v += __shfl_down_sync(0xffffffffu, v, 8);  // here
    y[threadIdx.x] = v;
}"""
    )
    fault = fault_of(bench, text, bench.device.alloc(128))
    assert (fault.kind, fault.line, fault.thread) == ("shuffle", line_of(text), (16, 0, 0))
    assert "0xffffffff" in fault.sentence


def test_a_shuffle_whose_mask_leaves_out_the_caller(bench):
    text = KERNEL + "(int* y) { y[threadIdx.x] = __shfl_sync(0xffffu, threadIdx.x, 0); }"
    fault = fault_of(bench, text, bench.device.alloc(128))
    assert (fault.kind, fault.thread) == ("shuffle", (16, 0, 0)) and "its own lane" in fault.sentence


def test_a_loop_without_an_end(bench):
    text = (
        KERNEL
        + """(volatile int* y)
{
    while (y[0] == 0) {}  // here
    y[1] = 1;
}"""
    )
    fault = fault_of(bench, text, bench.array(np.zeros(2, np.int32)), instruction_budget=100_000)
    assert (fault.kind, fault.line) == ("budget", line_of(text))
    assert DEFAULT_BUDGET > 100_000 and "after 100,000 instructions" in fault.sentence


def test_warps_that_wait_for_each_other_take_turns(bench):
    text = (
        KERNEL
        + """(volatile int* y)
{
    __shared__ int sum[2];
    if (threadIdx.x < 32) {
        while (y[1] == 0) {}
        y[0] = 7;
    } else {
        y[1] = 1;
        while (y[0] == 0) {}
        y[2] = 9;
    }
    sum[threadIdx.x / 32] = y[threadIdx.x / 32];
    __syncthreads();
    y[3] = sum[0] + sum[1];
}"""
    )
    module, seen = bench.load(text), []
    for _ in range(2):
        y = bench.array(np.zeros(4, np.int32))
        launch = bench.launch(module, "k", (1,), (64,), y)
        assert launch.fault is None
        assert bench.fetch(y, 4, np.int32).tolist() == [7, 1, 9, 8]
        seen.append(launch.counters)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("spare, kind", [(0, None), (-1, "budget")])
def test_turns_do_not_change_the_budget(bench, spare, kind):
    text = KERNEL + "(volatile int* y) { for (int i = 0; i < 20000; i++) y[0] = i; }"
    module, y = bench.load(text), bench.device.alloc(4)
    needed = bench.launch(module, "k", (2,), (64,), y).estimates["ptx_warp_instructions"]
    fault = bench.launch(module, "k", (2,), (64,), y, instruction_budget=int(needed) + spare).fault
    assert (fault.kind if fault else None) == kind


def test_an_assertion_that_fails(bench):
    text = KERNEL + "(int* y)\n{\n    assert(y[threadIdx.x] == 0);\n}"
    y = bench.array(np.array([0, 0, 1], np.int32))
    fault = fault_of(bench, text, y, block=(3,))
    assert (fault.kind, fault.thread, fault.line) == ("assert", (2, 0, 0), 3)
    assert "y[threadIdx.x] == 0" in fault.sentence


def test_a_trap(bench):
    text = KERNEL + "(int* y) { if (threadIdx.x == 5) __trap(); *y = 1; }"
    fault = fault_of(bench, text, bench.device.alloc(4))
    assert fault.thread == (5, 0, 0) and fault.line == 1 and fault.sentence == "The kernel stopped itself with a trap."


def test_a_trap_that_the_compiler_put(bench):
    text = "__constant__ float c[4];\n" + KERNEL + "(float* y) { ((float*)c)[threadIdx.x & 3] = 1; *y = c[0]; }"
    fault = fault_of(bench, text, bench.device.alloc(4))
    assert (fault.kind, fault.line) == ("trap", None) and "a write to __constant__ memory" in fault.sentence


def test_recursion_that_never_ends(bench):
    text = (
        """__device__ __noinline__ int down(int n, volatile int* y)
{
    return y[0] ? n : down(n + 1, y) + y[1];
}
"""
        + KERNEL
        + "(int* y) { y[1] = down(0, y); }"
    )
    assert fault_of(bench, text, bench.array(np.zeros(2, np.int32)), block=(1,)).kind == "stack"


def test_three_dimensions_of_thread_and_block(bench):
    text = (
        KERNEL
        + """(int* y)
{
    if (threadIdx.z == 1 && threadIdx.y == 2 && threadIdx.x == 3 && blockIdx.y == 1) y[100] = 1;
}"""
    )
    fault = fault_of(bench, text, bench.device.alloc(4), grid=(2, 2), block=(4, 4, 2))
    assert (fault.block, fault.thread) == ((0, 1, 0), (3, 2, 1))
