"""Short ways to run a kernel ``k`` from its text, for tests of single behaviours."""

from __future__ import annotations

import numpy as np

KERNEL = 'extern "C" __global__ void k'
LANES = np.arange(32)


def line_of(text: str, mark: str = "// here") -> int:
    return next(k for k, line in enumerate(text.splitlines(), 1) if mark in line)


def launch(bench, text, *args, grid=(1,), block=(32,), **options):
    return bench.launch(bench.load(text), "k", grid, block, *args, **options)


def fault_of(bench, text, *args, **options):
    return launch(bench, text, *args, **options).fault


def run(bench, text, *args, **options):
    """A launch that ends soon, whatever the kernel does."""
    options.setdefault("instruction_budget", 20_000_000)
    return launch(bench, text, *args, **options)


def result(bench, text, count=32, grid=(1,), block=(32,), dtype=np.int32, **options):
    """The output of a kernel ``k(int* y)`` that begins with zeros; the launch must not fail."""
    y = bench.array(np.zeros(count, dtype), "y")
    launch = run(bench, text, y, grid=grid, block=block, **options)
    assert launch.fault is None, launch.fault
    return bench.fetch(y, count, dtype).tolist()


def fault(bench, text, count=64, grid=(1,), block=(32,), **options):
    """What stops a kernel ``k(int* y)``; None: nothing."""
    return run(bench, text, bench.array(np.zeros(count, np.int32), "y"), grid=grid, block=block, **options).fault


def ints(bench, text, count=32, block=(32,), grid=(1,), **options):
    """The output of ``k(int* y)`` as an array, with the default budget."""
    y = bench.array(np.zeros(count, np.int32), "y")
    launched = launch(bench, text, y, grid=grid, block=block, **options)
    assert launched.fault is None, launched.fault
    return bench.fetch(y, count, np.int32)
