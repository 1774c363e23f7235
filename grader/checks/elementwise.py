"""Checks of any elementwise kernel with a grid-stride loop: sizes, launches, long indices, traffic.

Each function makes the ``run`` of a ``Check``. ``make(kernel, n, rng)`` gives a case of ``n`` elements under
a launch with one thread for each; ``make_at(kernel, n, start, total, rng)`` one whose ``n`` elements stand
from ``start`` on in buffers of ``total``. ``kernels`` names the kernels to try.

Every check but ``every_size`` leaves room behind the buffers and takes sizes that fill their blocks, so that
a mistake at the end of the data costs the one check that owns it.
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
MakeAt = Callable[[str, int, int, int, np.random.Generator], Case]  # kernel, n, start, total, rng
Run = Callable[..., Finding]

# No element, one, primes, odd sizes, both sides of a warp, of a block and of several blocks.
SIZES = (0, 1, 2, 3, 31, 32, 33, 127, 129, 255, 256, 257, 511, 1021)
FEW_SIZES = (0, 1, 257)
ROOM = 1024  # elements behind the data of a check that does not own the bounds
PAST_INT, PAST_UNSIGNED = (
    3 << 30,
    (1 << 32) + 1024,
)  # numbers of elements that an int, an unsigned int cannot count
VECTOR_WIDTHS = (1, 2, 4, 8, 16, 32)  # elements that one thread may take in one step
SECTOR = 32  # bytes
COALESCED = "CUDA C++ Best Practices Guide, Coalesced Access to Global Memory"  # where the rule stands


def every_size(make: Make, kernels: Iterable[str], few: Iterable[str] = ()) -> Run:
    """Every size in ``SIZES`` (``FEW_SIZES`` for ``few``), some with a spare block; no room behind."""

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
        yield dataclasses.replace(case.launched(blocks, case.block[0]), label=_label(n, blocks, case.block[0]))


def small_grid(make: Make, kernels: Iterable[str]) -> Run:
    """Fewer threads than elements: each thread must come round, here exactly four times."""
    return _launches(make, kernels, [(3, 128, 4)])


def any_block(make: Make, kernels: Iterable[str]) -> Run:
    """Blocks of sizes other than 256; each thread comes round twice, so that the step is tried as well."""
    return _launches(make, kernels, [(3, 96, 2), (2, 1024, 2)])


def _label(n: int, blocks: int, threads: int) -> str:
    return f"n = {n}, {blocks} block{'s' if blocks > 1 else ''} of {threads}"


def _launches(make: Make, kernels: Iterable[str], shapes) -> Run:
    """``shapes``: blocks, threads in each, elements for each thread."""

    def cases(rng):
        for blocks, threads, each in shapes:
            n = blocks * threads * each
            for kernel in kernels:
                case = make(kernel, n, rng).launched(blocks, threads).with_room(ROOM)
                yield dataclasses.replace(case, label=_label(n, blocks, threads))

    return lambda bench, rng: bench.first_failure(cases(rng))


def last_of(total: int, make_at: MakeAt, kernels: Iterable[str]) -> Run:
    """The last elements of data of ``total`` elements, which is more than memory holds; on the simulated GPU.

    Memory is sparse, and of the blocks of the full grid only those run that can own the last elements: which
    ones depends on how many elements a thread takes in one step, so every width in ``VECTOR_WIDTHS`` is
    tried.
    """
    elements, threads, budget = 512, 256, 300_000
    start = total - elements

    def one(bench, kernel, rng) -> Finding:
        case = make_at(kernel, elements, start, total, rng).with_room(ROOM)
        case = case.launched(grid_1d(total, threads)[0], threads)
        ranges = _owners(start, elements, threads)
        ran = bench.launch(case, kind="simulated", ranges=ranges, budget=budget)
        return _explained(ran.finding, case) if ran.finding else compare(case, ran.outputs)

    return lambda bench, rng: _first_failure(one(bench, kernel, rng) for kernel in kernels)


def _owners(start: int, elements: int, threads: int) -> list[tuple[int, int]]:
    """The ranges of blocks that can own the elements from ``start`` on, for each width of a thread's step."""
    spans = [threads * width for width in VECTOR_WIDTHS]
    return [(start // span, (start + elements - 1) // span + 1) for span in spans]


def _explained(finding: Finding, case: Case) -> Finding:
    """A loop that never ends has a reason here that the device cannot know."""
    if finding.state is not State.TIMEOUT:
        return finding
    why = "goes round and round instead of ending: its index or its step is too short"
    message = f"{case.kernel} {why}; {case.label}."
    return dataclasses.replace(finding, message=message)


def reads_once(make: Make, kernels: Iterable[str], *, limit: float = 1.1) -> Run:
    """Loads touch at most ``limit`` times the sectors that hold the inputs; four elements a thread."""
    return _traffic(make, kernels, limit, "reads", lambda case: case.inputs)


def writes_once(make: Make, kernels: Iterable[str], *, limit: float = 1.1) -> Run:
    """Stores touch at most ``limit`` times the sectors that hold the outputs; four elements a thread."""
    return _traffic(make, kernels, limit, "writes", lambda case: case.outputs)


def _traffic(make, kernels, limit, verb, buffers) -> Run:
    """Exact counters; only the ratio to the least is judged, so vector accesses do as well.

    The launch that is counted computes, too: its size is drawn and its values are compared, or a kernel that knows it
    could do nothing there.
    """
    threads = 256

    def one(bench, kernel, rng) -> Finding:
        from grader.gpu import counters  # a room that opens devices: only when one is needed

        sectors, requests = {
            "reads": (counters.LOAD_SECTORS, counters.LOAD_REQUESTS),
            "writes": (counters.STORE_SECTORS, counters.STORE_REQUESTS),
        }[verb]
        blocks = int(rng.integers(9, 25))
        n = 4 * blocks * threads
        case = make(kernel, n, rng).launched(blocks, threads).with_room(ROOM)
        case = dataclasses.replace(case, label=_label(n, blocks, threads))
        ran = bench.measure(case)
        if ran.finding:
            return ran.finding
        if (values := compare(case, ran.outputs)).state is not State.PASS:
            return values
        least = sum(-(-b.size * b.itemsize // SECTOR) for b in buffers(case))
        touched, asked = ran.counters[sectors], ran.counters[requests]
        if touched <= limit * least:
            return passed(f"{kernel} {verb} {touched:,} sectors; its data fills {least:,}")
        return failed(
            f"{kernel} {verb} {touched:,} sectors of {SECTOR} bytes, {touched / least:.1f} times the "
            f"{least:,} that its data fills: {touched / asked:.1f} for each request of a warp; {case.label}.",
            case={
                "kernel": kernel,
                "label": case.label,
                "touched": touched,
                "least": least,
                "requests": asked,
            },
            counters=dict(ran.counters),
        )

    return lambda bench, rng: _first_failure(one(bench, kernel, rng) for kernel in kernels)


def _first_failure(findings: Iterable[Finding]) -> Finding:
    """The first finding that is no pass, else the last; none at all is an error of the check."""
    finding = None
    for finding in findings:
        if finding.state is not State.PASS:
            break
    if finding is None:
        raise ValueError("a check tried no kernel")
    return finding
