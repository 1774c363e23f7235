"""What a launch may use, and what is said where that is not enough."""

from __future__ import annotations

import os
import struct
import subprocess
import sys

import numpy as np
import pytest
from conftest import compile_text
from small_kernels import KERNEL, fault_of, launch

from grader.simulator import DeviceError
from grader.simulator.limits import MAX_ASKED
from grader.toolchain.occupancy import MULTIPROCESSORS
from grader.verdict.records import State

# ---- the budget ----


def test_a_launch_of_too_many_blocks(bench):
    fault = launch(bench, KERNEL + "() {}", grid=(1000, 1000), block=(1024,), instruction_budget=100_000).fault
    assert fault.kind == "budget" and fault.block == (125, 3, 0)
    assert "in block 3,126 of 1,000,000: the blocks before it have ended; launch fewer blocks" in fault.sentence


def test_one_block_of_many_that_does_not_end(bench):
    text = KERNEL + "(volatile int* y) { if (blockIdx.x == 7) while (y[0] == 0) {} }"
    fault = launch(bench, text, bench.array(np.zeros(1, np.int32)), grid=(9,), instruction_budget=10_000).fault
    assert (fault.kind, fault.block) == ("budget", (7, 0, 0)) and "it never ends" in fault.sentence


def test_a_budget_that_no_block_can_keep(bench):
    assert "it never ends" in launch(bench, KERNEL + "() {}", grid=(9,), instruction_budget=0).fault.sentence


def test_blocks_that_cannot_all_begin_for_their_memory(bench):
    """A thread has 100,000 bytes of local memory, so two of these blocks have begun at once."""
    text = KERNEL + """(volatile int* y, int n)
{
    volatile char large[100000];
    large[n] = 1;
    if (blockIdx.x == gridDim.x - 1) *y = large[n];
    while (*y == 0) {}
}"""
    module = bench.load(text)
    for blocks, words in ((3, "at most 256 MiB"), (2, None)):
        y = bench.array(np.zeros(1, np.int32))
        options = {"instruction_budget": 2_000_000, "races": False}
        fault = bench.launch(module, "k", (blocks,), (1024,), y, 5, **options).fault
        assert (fault is None) if words is None else (fault.kind == "budget" and words in fault.sentence)


def test_a_budget_below_zero_is_an_error(bench):
    with pytest.raises(DeviceError, match="The instruction budget is -1") as problem:
        launch(bench, KERNEL + "() {}", instruction_budget=-1)
    assert problem.value.state is State.ERROR


# ---- shared memory ----

STAGE = KERNEL + """(int* y, int words)
{
    extern __shared__ int stage[];
    for (int i = threadIdx.x; i < words; i += blockDim.x) stage[i] = i;
    __syncthreads();
    atomicAdd(y, stage[words - 1 - threadIdx.x]);
}"""


def test_a_kernel_that_asks_for_more_shared_memory(bench):
    most = {"compute_80": 163 << 10, "compute_90": 227 << 10, "compute_75": 64 << 10}
    for arch, size in most.items():
        module = bench.device.load(compile_text(STAGE, arch=arch))
        for asked, used, words_of_problem in (
            (size, size, None),
            (None, 48 << 10, None),
            (None, 50_000, "kernel.max_dynamic_shared_size_bytes = 50000."),
            (60_000, 60_004, "MaxDynamicSharedMemorySize allows 60000"),
            (40_000, 45_000, "MaxDynamicSharedMemorySize allows 40000"),
            (size + 1, 100, f"the most is {size}, as the code is compiled for sm_"),
            (-1, 100, "cannot ask for -1 bytes"),
            (None, size + 4, f"the most is {size}, as the code is compiled for sm_"),
        ):
            y = bench.array(np.zeros(1, np.int32))
            options = {"shared_bytes": used, "max_dynamic_shared": asked}
            fault = bench.launch(module, "k", (2,), (32,), y, used // 4, **options).fault
            if words_of_problem is None:
                assert fault is None
                assert bench.fetch(y, 1, np.int32)[0] == 2 * sum(used // 4 - 1 - np.arange(32))
            else:
                assert fault.kind == "launch" and words_of_problem in fault.sentence


def test_past_the_end_of_large_shared_memory(bench):
    options = {"shared_bytes": 100_000, "max_dynamic_shared": 100_000}
    y = bench.array(np.zeros(1, np.int32))
    fault = launch(bench, STAGE, y, 25_001, **options).fault
    assert (fault.kind, fault.address) == ("shared_out_of_bounds", 100_000)


def test_static_shared_memory_counts(bench):
    text = KERNEL + """(int* y)
{
    volatile __shared__ int s[1000];
    extern __shared__ int d[];
    s[0] = d[0] = 1;
    *y = s[0] + d[0];
}"""
    y = bench.array(np.zeros(1, np.int32))
    for dynamic, refused in (((163 << 10) - 4000, False), ((163 << 10) - 3996, True)):
        fault = launch(bench, text, y, block=(1,), shared_bytes=dynamic, max_dynamic_shared=dynamic).fault
        assert (fault is not None) == refused


def test_the_limits_are_those_of_the_occupancy():
    assert MAX_ASKED == {
        f"sm_{capability.replace('.', '')}": sm.shared - sm.reserved for capability, sm in MULTIPROCESSORS.items()
    }


# ---- the host's memory ----

LARGE = KERNEL + """(int* y, int n)
{
    volatile char large[100000];
    large[n] = 1;
    y[blockIdx.x] = large[n];
}"""
WITH_LITTLE_MEMORY = """
import resource, sys
from grader.simulator import Device, DeviceError
device, args = Device.in_process(), bytes.fromhex(sys.argv[1])
module, y = device.load(sys.stdin.read()), device.alloc(400, fill=0)
now = 4096 * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (now + (60 << 20), resource.RLIM_INFINITY))
for workers in (1, 2):
    try:
        device.launch(module, "k", (100,), (1024,), args, races=False, workers=workers)
    except DeviceError as problem:
        print(problem.state, problem.sentence)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(device.launch(module, "k", (100,), (32,), args).fault)
"""


def test_a_launch_that_the_host_has_no_memory_for(bench):
    """A block has 100 MB of local memory. The device lives on."""
    args = struct.pack("<Qi", bench.device.alloc(400), 5).hex()  # the first buffer lies where the child's does
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}  # of sanitized.py
    ran = subprocess.run(
        [sys.executable, "-c", WITH_LITTLE_MEMORY, args], input=compile_text(LARGE), capture_output=True, text=True,
        env=environment,
    )  # fmt: skip
    told = f"{State.OUT_OF_MEMORY} The simulated GPU needs more memory than there is to run this launch."
    assert ran.stdout.splitlines() == [told, told, "None"], ran.stderr


# ---- sizes ----


@pytest.mark.parametrize(
    "grid, block, shared, words",
    [
        ((1,), (1025,), 0, "1024"),
        ((1,), (32, 32, 2), 0, "2048 threads"),
        ((1, 65536), (1,), 0, "65535"),
        ((0,), (32,), 0, "at least 1"),
        ((1,), (0,), 0, "at least 1"),
        ((1,), (1, 1, 65), 0, "64"),
        ((1 << 31,), (32,), 0, "2147483647"),
        ((1,), (32,), 50_000, "shared memory"),
    ],
)
def test_launches_that_a_gpu_refuses(bench, grid, block, shared, words):
    fault = fault_of(
        bench,
        KERNEL + "(int* y) { *y = 1; }",
        bench.device.alloc(4),
        grid=grid,
        block=block,
        shared_bytes=shared,
    )
    assert fault.kind == "launch" and words in fault.sentence and fault.line is None


def test_launch_bounds_are_kept(bench):
    text = 'extern "C" __global__ __launch_bounds__(64) void k(int* y) { *y = 1; }'
    fault = fault_of(bench, text, bench.device.alloc(4), block=(65,))
    assert fault.kind == "launch" and "__launch_bounds__" in fault.sentence
