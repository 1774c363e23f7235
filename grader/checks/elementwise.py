"""Checks of any elementwise kernel with a grid-stride loop: sizes, launches, long indices, traffic.

Each function makes the ``run`` of a ``Check``. ``make(kernel, n, rng)`` gives a case of ``n`` elements under a launch
with one thread for each; ``kernels`` names the kernels to try.

Every check but ``every_size`` leaves room behind the buffers and takes sizes that fill their blocks, so that a mistake
at the end of the data costs the one check that owns it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

import numpy as np

from grader.checks.base import Finding, failed, passed
from grader.checks.cases import Case, grid_1d
from grader.checks.values import compare
from grader.verdict import State

Make = Callable[[str, int, np.random.Generator], Case]
Run = Callable[..., Finding]

# No element, one, primes, odd sizes, both sides of a warp, of a block and of several blocks.
SIZES = (0, 1, 2, 3, 5, 31, 32, 33, 63, 65, 97, 127, 128, 129, 255, 256, 257, 509, 511, 513, 1023, 1025)
FEW_SIZES = (0, 1, 33, 257, 1021)
ROOM = 1024  # elements behind the data of a check that does not own the bounds
LONG = (3 << 30, (1 << 32) + 1024)  # past what an int counts, past what an unsigned int counts
VECTOR_WIDTHS = (1, 2, 4, 8, 16)  # elements that one thread may take in one step
SECTOR = 32  # bytes


def every_size(make: Make, kernels: Iterable[str], few: Iterable[str] = ()) -> Run:
    """Every size in ``SIZES`` (``FEW_SIZES`` for ``few``), and a block more than is needed; no room behind the data."""

    def run(bench, rng) -> Finding:
        drawn = int(rng.integers(2, 2000))
        plan = [(n, kernel) for kernel in kernels for n in (*SIZES, drawn)]
        plan += [(n, kernel) for kernel in few for n in FEW_SIZES]
        return bench.first_failure(_sized(make, sorted(plan), rng))

    return run


def _sized(make: Make, plan, rng):
    for n, kernel in plan:
        case = make(kernel, n, rng)
        blocks = case.grid[0] + n % 2  # odd sizes get a block in which no thread has work
        yield dataclasses.replace(case.launched(blocks, case.block[0]), label=f"n = {n}, {blocks} blocks of {case.block[0]}")


def small_grid(make: Make, kernels: Iterable[str]) -> Run:
    """Fewer threads than elements: each thread must come round, here exactly four times."""
    return _launches(make, kernels, [(1, 32, 4), (3, 128, 4)])


def any_block(make: Make, kernels: Iterable[str]) -> Run:
    """Blocks of sizes other than 256, one thread for each element."""
    return _launches(make, kernels, [(3, 32, 1), (3, 96, 1), (2, 160, 1), (2, 1024, 1)])


def _launches(make: Make, kernels: Iterable[str], shapes) -> Run:
    """``shapes``: blocks, threads in each, elements for each thread."""

    def cases(rng):
        for blocks, threads, each in shapes:
            n = blocks * threads * each
            for kernel in kernels:
                case = make(kernel, n, rng).launched(blocks, threads).with_room(ROOM)
                yield dataclasses.replace(case, label=f"n = {n}, {blocks} blocks of {threads}")

    return lambda bench, rng: bench.first_failure(cases(rng))


def past_32_bits(make_at: Callable[[str, int, int, int, np.random.Generator], Case], kernels: Iterable[str]) -> Run:
    """The last elements of data that is longer than 32 bits count, on the simulated GPU.

    ``make_at(kernel, n, start, total, rng)`` gives a case whose ``n`` elements are the last of ``total``, from
    ``start`` on. Memory is sparse, and of the blocks of the full grid only those run that can own these elements:
    which ones depends on how many elements a thread takes in one step, so every width in ``VECTOR_WIDTHS`` is tried.
    """
    elements, threads, budget = 512, 256, 1_000_000

    def run(bench, rng) -> Finding:
        finding = None
        for total in LONG:
            for kernel in kernels:
                case = make_at(kernel, elements, total - elements, total, rng).with_room(ROOM)
                blocks = grid_1d(total, threads)[0]
                case = dataclasses.replace(case.launched(blocks, threads), label=f"n = {total:,}")
                ran = bench.launch(case, kind="simulated", ranges=_owners(total - elements, elements, threads), budget=budget)
                finding = _explained(ran.finding, case) if ran.finding else compare(case, ran.outputs)
                if finding.state is not State.PASS:
                    return finding
        if finding is None:
            raise ValueError("a check generated no case")
        return finding

    return run


def _owners(start: int, elements: int, threads: int) -> list[tuple[int, int]]:
    """The ranges of blocks that can own the elements from ``start`` on, for each width of a thread's step."""
    spans = [threads * width for width in VECTOR_WIDTHS]
    return [(start // span, (start + elements - 1) // span + 1) for span in spans]


def _explained(finding: Finding, case: Case) -> Finding:
    """A loop that never ends has a reason here that the device cannot know."""
    if finding.state is not State.TIMEOUT:
        return finding
    message = f"{case.kernel} goes round and round instead of ending: its index or its step is too short; {case.label}."
    return dataclasses.replace(finding, message=message)


def traffic(make: Make, kernels: Iterable[str], *, limit: float = 1.1) -> Run:
    """Sectors of 32 bytes against the least that hold the data, on the simulated GPU; four elements for each thread."""
    blocks, threads = 16, 256

    def run(bench, rng) -> Finding:
        for kernel in kernels:
            case = make(kernel, 4 * blocks * threads, rng).launched(blocks, threads).with_room(ROOM)
            ran = bench.measure(case)
            if ran.finding:
                return ran.finding
            finding = _within(case, ran.counters, limit)
            if finding.state is not State.PASS:
                return finding
        return passed()

    return run


def _within(case: Case, counters: dict[str, int], limit: float) -> Finding:
    from grader.gpu.counters import LOAD_REQUESTS, LOAD_SECTORS, STORE_REQUESTS, STORE_SECTORS

    for verb, buffers, sectors, requests in (
        ("reads", case.inputs, LOAD_SECTORS, LOAD_REQUESTS),
        ("writes", case.outputs, STORE_SECTORS, STORE_REQUESTS),
    ):
        least = sum(-(-b.size * b.itemsize // SECTOR) for b in buffers)
        touched, asked = counters[sectors], counters[requests]
        if touched > limit * least:
            return failed(
                f"{case.kernel} {verb} {touched:,} sectors of {SECTOR} bytes, {touched / least:.1f} times the {least:,} that "
                f"hold its data: {touched / asked:.1f} sectors for each request of a warp.",
                case={"kernel": case.kernel, "label": case.label, "touched": touched, "least": least, "requests": asked},
                counters=dict(counters),
            )
    return passed()
