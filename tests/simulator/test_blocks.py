"""Blocks that wait for each other, and threads of the host that share the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from small_kernels import KERNEL, fault, result, run

# ---- blocks ----

GRID = """
__device__ void grid_barrier(int* arrived, int goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < goal) {}
        __threadfence();
    }
    __syncthreads();
}
"""


@pytest.mark.parametrize("blocks", [2, 40, 132])
def test_a_barrier_of_the_grid(bench, blocks):
    text = GRID + KERNEL + """(int* y)
{
    int b = blockIdx.x, n = gridDim.x;
    if (threadIdx.x == 33) y[1 + b] = b;
    grid_barrier(y, n);
    int v = y[1 + (b + 1) % n];
    grid_barrier(y, 2 * n);
    if (threadIdx.x == 1) y[1 + b] = 10 * v;
}"""
    y = result(bench, text, 1 + blocks, (blocks,), (64,))
    assert y[1:] == [10 * ((b + 1) % blocks) for b in range(blocks)]


def test_a_barrier_of_more_blocks_than_are_resident(bench):
    text = GRID + KERNEL + "(int* y)\n{\n grid_barrier(y, gridDim.x);\n}"
    found = fault(bench, text, 1, (133,), (32,), instruction_budget=300_000)
    assert found.kind == "budget" and "a later block" in found.sentence


@pytest.mark.parametrize("order", ["blockIdx.x", "gridDim.x - 1 - blockIdx.x"])
def test_decoupled_look_back(bench, order):
    """Each block adds its sum to that of the blocks in front of it; in reversed order the first ones wait for later."""
    text = KERNEL + f"""(int* y)
{{
    volatile int* flag = y;
    volatile int* sum = y + 64;
    int b = {order};
    if (threadIdx.x == 0) {{
        int before = 0;
        if (b) {{
            while (flag[b - 1] == 0) {{}}
            __threadfence();
            before = sum[b - 1];
        }}
        sum[b] = before + b;
        __threadfence();
        flag[b] = 1;
    }}
}}"""
    assert result(bench, text, 128, (60,), (64,))[64:124] == np.cumsum(np.arange(60)).tolist()


def test_the_same_launch_gives_the_same(bench):
    text = GRID + KERNEL + """(int* y)
{
    grid_barrier(y, gridDim.x);
    while (atomicCAS(y + 1, 0, 1) != 0) {}
    int order = y[2]++;
    __threadfence();
    atomicExch(y + 1, 0);
    y[3 + blockIdx.x * blockDim.x + threadIdx.x] = order;
}"""
    module, seen = bench.load(text), []
    for _ in range(2):
        y = bench.array(np.zeros(3 + 320, np.int32))
        launch = bench.launch(module, "k", (5,), (64,), y, races=False)
        assert launch.fault is None
        seen.append((bench.fetch(y, 323, np.int32).tolist(), launch.counters, launch.estimates, launch.lines))
    assert seen[0] == seen[1] and sorted(seen[0][0][3:]) == list(range(320))


# ---- threads of the host ----

EACH = KERNEL + """(int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i;
    __syncthreads();
    for (int k = 0; k < blockIdx.x % 7; k++) s[t] += __popc(__activemask());
    y[i] = s[t] + (t & 1 ? 5 : 7);
}"""


@pytest.mark.parametrize("blocks", [1, 2, 63, 1000])
def test_workers_change_nothing(bench, blocks):
    module, seen = bench.load(EACH), []
    for workers in (None, 2, 4):
        y = bench.device.alloc(256 * blocks)
        launch = bench.launch(module, "k", (blocks,), (64,), y, races=False, workers=workers)
        assert launch.fault is None
        seen.append((bench.device.read(y, 256 * blocks), launch.counters, launch.estimates, launch.lines))
    assert seen[0] == seen[1] == seen[2]


def test_workers_tell_the_fault_of_the_lowest_block(bench):
    y, module = bench.device.alloc(256 * 700, name="y"), bench.load(EACH)
    for workers in (1, 2, 4):
        found = bench.launch(module, "k", (1000,), (64,), y, races=False, workers=workers).fault
        assert (found.kind, found.block, found.thread) == ("out_of_bounds", (700, 0, 0), (0, 0, 0))


def test_blocks_that_see_each_other_have_one_worker(bench):
    text = KERNEL + "(int* y) { y[1 + atomicAdd(y, 1)] = blockIdx.x; }"
    assert result(bench, text, 201, (200,), (1,), races=False, workers=4) == [200, *range(200)]


def test_a_trace_counts_only_what_its_warp_did(bench):
    """Both warps wait at the same load, turn about."""
    from grader.simulator.records import TraceRequest

    text = KERNEL + """(volatile int* y)
{
    while (y[0] < 3) { if (threadIdx.x == 32) y[0] = y[0] + 1; }
}"""
    y = bench.array(np.zeros(1, np.int32))
    launch = run(bench, text, y, block=(64,), races=False, trace=TraceRequest((0, 0, 0), 0, 500))
    steps = [step for step in launch.trace.steps if step.opcode.startswith("ld.volatile")]
    assert len(steps) > 10 and {step.requests for step in steps} == {1}
