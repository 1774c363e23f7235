"""What the three micro-kernels compute, ``y[i] = 2 * x[i] + 1``, and cases of it."""

from __future__ import annotations

import numpy as np

from grader.checks import Case, In, Out

FLOAT = np.dtype(np.float32)


def case(
    kernel: str, rng, n: int, blocks: int, threads: int, *, sized: bool = True, window: tuple[int, int] | None = None
) -> Case:
    """``n`` elements in a grid of ``blocks`` x ``threads``; ``sized`` kernels take n as their last argument.

    ``window``: (start, count) of the only elements that hold data and are compared; for an n that no memory holds.
    Values are quarters between -8 and 8, so that float arithmetic is exact and the numbers are good to read.
    """
    start, count = window or (0, n)
    x = rng.integers(-32, 33, count).astype(FLOAT) / 4
    place = {"start": start, "total": n} if window else {}
    return Case(
        kernel=kernel,
        arguments=(In("x", x, **place), Out("y", (count,), FLOAT, **place), *([np.int64(n)] if sized else [])),
        grid=(blocks, 1, 1),
        block=(threads, 1, 1),
        expected={"y": 2.0 * x.astype(np.float64) + 1.0},
        label=f"n = {n:,}, {_count(blocks, 'block')} of {_count(threads, 'thread')}",
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
