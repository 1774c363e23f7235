"""What a launch may use, and what is said where that is not enough."""

from __future__ import annotations

import numpy as np
import pytest

from grader.simulator import DeviceError
from grader.verdict.records import State

KERNEL = 'extern "C" __global__ void k'


def launch(bench, text, *args, grid=(1,), block=(32,), **options):
    return bench.launch(bench.load(text), "k", grid, block, *args, **options)


# ---- the budget ----


def test_a_launch_of_too_many_blocks(bench):
    fault = launch(bench, KERNEL + "() {}", grid=(1000, 1000), block=(1024,), instruction_budget=100_000).fault
    assert fault.kind == "budget" and fault.block == (125, 3, 0)
    assert "in block 3,126 of 1,000,000: the blocks before it have ended; launch fewer blocks" in fault.sentence


def test_one_block_of_many_that_does_not_end(bench):
    text = KERNEL + "(volatile int* y) { if (blockIdx.x == 7) while (y[0] == 0) {} }"
    fault = launch(bench, text, bench.array(np.zeros(1, np.int32)), grid=(9,), instruction_budget=10_000).fault
    assert (fault.kind, fault.block) == ("budget", (7, 0, 0)) and "it never ends" in fault.sentence


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
