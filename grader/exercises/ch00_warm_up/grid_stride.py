"""grid-stride: any grid covers any n, each element once, neighbours side by side, 64-bit throughout."""

from __future__ import annotations

import dataclasses

from grader.checks import Case, Check, Finding, compare, failed, passed
from grader.exercises.bench import Run
from grader.exercises.ch00_warm_up import scale
from grader.exercises.kernel import KernelPlan, Signature
from grader.verdict import State

KERNEL = "grid_stride"
DECLARATION = "grid_stride(float const* x, float* y, long long n)"
BLOG = "NVIDIA Technical Blog, “CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops”"
BUILT_IN = "CUDA C++ Programming Guide 13.0, C++ Language Extensions, “Built-in Variables”: unsigned, 32 bits"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
WARP = 32
THREADS = 256  # in a block of the huge grids
LEAST_SECTORS = 4  # 32 neighbouring floats: 128 bytes in sectors of 32


def _spare_threads(bench, rng) -> Finding:
    return scale.told(bench.first_failure(scale.case(KERNEL, rng, n, 1, WARP) for n in (1, 20)))


def _covers(bench, rng) -> Finding:
    """Far too few threads. Smallest first: each of two blocks has to come back once."""
    sizes = [(16, 2, 4), (int(rng.integers(200, 400)), 3, 32), (int(rng.integers(2_000, 3_000)), 2, 96)]
    return scale.told(bench.first_failure(scale.case(KERNEL, rng, *size) for size in sizes))


def _counted(bench, rng) -> tuple[Case, Run]:
    """8 rounds of a few whole blocks. The size is drawn and the values are compared, or a kernel that knows this launch
    could do nothing in it."""
    blocks = int(rng.integers(3, 8))
    case = scale.case(KERNEL, rng, n=8 * blocks * 64, blocks=blocks, threads=64)
    run = bench.measure(case)
    if not run.finding and (values := compare(case, run.outputs)).state is not State.PASS:
        run = dataclasses.replace(run, finding=values)
    return case, run


def _once(bench, rng) -> Finding:
    case, run = _counted(bench, rng)
    if run.finding:
        return scale.told(run.finding)
    stores, needed = run.counters[REQUESTS], case.outputs[0].size // WARP
    detail = {"counters": {KERNEL: dict(run.counters)}, "case": {"label": case.label}}
    if stores == needed:
        return passed(f"{stores} stores of a warp, as many as the elements need", **detail)
    return failed(
        f"The warps stored {stores} times where {needed} do: y is right only because the same values "
        "are written "
        f"again and again. How many threads are there in all? {case.label}.",
        **detail,
    )


def _neighbours(bench, rng) -> Finding:
    case, run = _counted(bench, rng)
    if run.finding:
        return scale.told(run.finding)
    ratio = run.counters[SECTORS] / max(1, run.counters[REQUESTS])
    detail = {"counters": {KERNEL: dict(run.counters)}, "case": {"label": case.label}}
    if ratio <= LEAST_SECTORS:
        return passed(f"each store of a warp touches {ratio:g} sectors of 32 bytes, the least there is", **detail)
    return failed(
        f"Each store of a warp touches {ratio:g} sectors of 32 bytes where {LEAST_SECTORS} do: at "
        "every step its 32 "
        f"threads write far apart. Which elements do threads 0 and 1 work on first? {case.label}.",
        **detail,
    )


def _chosen_blocks(remark: str, n: int, blocks: int, *chosen: tuple[int, tuple[int, int]]):
    """For each (block, window) run that block alone of a huge grid, in memory that exists where touched.

    The windows lie inside the n elements, and no thread of these blocks is to spare. ``remark`` says what is
    special about the numbers.
    """

    def run(bench, rng) -> Finding:
        for block, window in chosen:
            case = scale.case(KERNEL, rng, n, blocks, THREADS, window=window)
            launch = bench.launch(case, kind="simulated", ranges=((block, block + 1),))
            finding = scale.told(launch.finding or compare(case, launch.outputs))
            if finding.state is not State.PASS:
                return dataclasses.replace(finding, message=f"{finding.message} {remark}")
        return passed(f"n = {n:,}: the chosen blocks did their part")

    return run


PLAN = KernelPlan(
    kernels={KERNEL: Signature(DECLARATION, ("pointer", "pointer", "long long"))},
    group="covers",
    budget=400_000,  # a right launch takes a hundredth; a loop that never ends is told at once
    checks=(
        Check(
            id="spare-threads",
            misconception="work-before-test",
            group="covers",
            run=_spare_threads,
            source=BLOG,
            sentence="A thread without an element does nothing, not even once.",
        ),
        Check(
            id="covers",
            misconception="if-for-loop",
            group="covers",
            run=_covers,
            seeded=True,
            source=BLOG,
            sentence="A grid far smaller than n still computes every element.",
        ),
        Check(
            id="once",
            misconception="step-too-short",
            group="covers",
            run=_once,
            seeded=True,
            needs=("covers",),
            source=BLOG,
            sentence="Each element is written once, not once by every block.",
        ),
        Check(
            id="neighbours",
            misconception="chunk-per-thread",
            group="covers",
            run=_neighbours,
            seeded=True,
            needs=("once",),
            source=BLOG,
            sentence="The 32 threads of a warp work side by side at every step.",
        ),
        Check(
            id="past-2-31",
            misconception="narrow-variable",
            group="huge",
            needs=("neighbours",),
            source=BUILT_IN,
            run=_chosen_blocks(
                "Thread 0 comes back at element 2,147,483,648; the largest int is one less.",
                2**31 + THREADS,
                2**23,
                (0, (2**31, THREADS)),
            ),
            sentence="Block 0 comes back for the elements from 2^31 on, where an int overflows.",
        ),
        Check(
            id="past-2-32",
            misconception="narrow-product",
            group="huge",
            needs=("neighbours",),
            source=BUILT_IN,
            run=_chosen_blocks(
                "gridDim.x * blockDim.x is 4,294,967,552 here; the lower 32 bits of that are 256.",
                2**32 + THREADS,
                2**24 + 1,
                (2**24, (2**32, THREADS)),
                (0, (128, 128)),
            ),
            sentence="In a grid of more than 2^32 threads a thread's number and the step are right, too.",
        ),
    ),
)
