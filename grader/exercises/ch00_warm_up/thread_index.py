"""thread-index: each thread finds its own element."""

from __future__ import annotations

from grader.checks import Check, Finding
from grader.exercises.ch00_warm_up import scale
from grader.exercises.kernel import KernelPlan, Signature

KERNEL = "thread_index"
GUIDE = "CUDA C++ Programming Guide 13.0, Programming Model, “Thread Hierarchy”"


def _verify(*grids: tuple[int, int]):
    def run(bench, rng) -> Finding:
        cases = [
            scale.case(KERNEL, rng, blocks * threads, blocks, threads, sized=False)
            for blocks, threads in grids
        ]
        return scale.told(bench.first_failure(cases))

    return run


def _any_grid(bench, rng) -> Finding:
    """Square grids, so that a mix-up of gridDim and blockDim stays the business of its own check."""
    sides = sorted(int(side) for side in rng.choice([n for n in range(2, 97) if n != 32], 3, replace=False))
    return _verify(*((side, side) for side in sides))(bench, rng)


PLAN = KernelPlan(
    kernels={KERNEL: Signature("thread_index(float const* x, float* y)", ("pointer", "pointer"))},
    group="each-element",
    budget=400_000,  # a right launch takes a hundredth; a loop that never ends is told at once
    checks=(
        Check(
            id="one-block",
            misconception="thread-part",
            group="each-element",
            run=_verify((1, 8)),
            source=GUIDE,
            sentence="Inside one block, thread t works on element t.",
        ),
        Check(
            id="many-blocks",
            misconception="block-left-out",
            group="each-element",
            run=_verify((4, 4)),
            source=GUIDE,
            sentence="The second block goes on where the first one ends.",
        ),
        Check(
            id="block-width",
            misconception="grid-for-block",
            group="any-launch",
            run=_verify((3, 256)),
            source=GUIDE,
            sentence="Block b starts at element b times the number of threads in a block (blockDim.x).",
        ),
        Check(
            id="any-width",
            misconception="width-fixed",
            group="any-launch",
            run=_any_grid,
            seeded=True,
            source=GUIDE,
            sentence="It works for every number of threads in a block, not for one that you have in mind.",
        ),
    ),
)
