"""What the three micro-kernels compute, ``y[i] = 2 * x[i] + 1``, and cases of it."""

from __future__ import annotations

import dataclasses

import numpy as np

from grader.checks import Case, Finding, In, Out

FLOAT = np.dtype(np.float32)


def case(
    kernel: str,
    rng,
    n: int,
    blocks: int,
    threads: int,
    *,
    sized: bool = True,
    window: tuple[int, int] | None = None,
) -> Case:
    """``n`` elements in a grid of ``blocks`` x ``threads``; ``sized`` kernels take n as their last argument.

    ``window``: (start, count) of the only elements with data, which are compared; for an n beyond all memory.
    Values are quarters between -8 and 8, so that float arithmetic is exact and the numbers are good to read.
    """
    start, count = window or (0, n)
    x = rng.integers(-32, 33, count).astype(FLOAT) / 4
    place = {"start": start, "total": n} if window else {}
    return Case(
        kernel=kernel,
        arguments=(
            In("x", x, **place),
            Out("y", (count,), FLOAT, **place),
            *([np.int64(n)] if sized else []),
        ),
        grid=(blocks, 1, 1),
        block=(threads, 1, 1),
        expected={"y": 2.0 * x.astype(np.float64) + 1.0},
        label=f"n = {n:,}, {_count(blocks, 'block')} of {_count(threads, 'thread')}",
    )


def told(finding: Finding) -> Finding:
    """A step out of bounds told in elements and threads, which the learner counts in, instead of bytes."""
    fault = finding.detail.get("fault") or {}
    if (
        fault.get("kind") != "out_of_bounds"
        or fault.get("buffer") not in ("x", "y")
        or fault.get("thread") is None
    ):
        return finding
    index, label = fault["offset"] // FLOAT.itemsize, finding.detail["case"]["label"]
    verb = "reads" if fault["buffer"] == "x" else "writes"
    who = f"Thread {fault['thread'][0]} of block {fault['block'][0]:,}"
    where = (
        f"{fault['buffer']}[{index:,}], which is none of the elements"
        if index >= 0
        else "at a negative index"
    )
    message = f"{who} {verb} {where}; {label}."
    return dataclasses.replace(finding, message=message)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
