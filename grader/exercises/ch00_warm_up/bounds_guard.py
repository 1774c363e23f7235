"""bounds-guard: the threads that have no element do nothing.

Every mistake here steps out of x and y. So that each is seen by its own check, a case holds exactly one of
the places where it can show, and one element of room where the mistake of another check would show.
"""

from __future__ import annotations

from grader.checks import Check, Finding, passed
from grader.exercises.ch00_warm_up import scale
from grader.exercises.kernel import KernelPlan, Signature

KERNEL = "bounds_guard"
DECLARATION = "bounds_guard(float const* x, float* y, long long n)"
GUIDE = "CUDA C++ Programming Guide 13.0, Programming Model, “Thread Hierarchy”"


def _values(bench, rng) -> Finding:
    sizes = [(5, 8), (int(rng.integers(1_000, 2_000)), 96), (int(rng.integers(5_000, 20_000)), 256)]
    cases = (scale.case(KERNEL, rng, n, -(-n // threads), threads).with_room(threads) for n, threads in sizes)
    return scale.told(bench.first_failure(cases))


def _stays_inside(n: int, blocks: int, threads: int, room: int):
    """A launch with spare threads; what it may touch ends ``room`` elements behind n.

    On the simulated GPU, whatever the device: only there is every step outside seen, with its thread.
    """

    def run(bench, rng) -> Finding:
        case = scale.case(KERNEL, rng, n, blocks, threads)
        finding = bench.launch(case.with_room(room), kind="simulated").finding
        return scale.told(finding) if finding else passed(f"{case.label}: nobody stepped outside")

    return run


PLAN = KernelPlan(
    kernels={KERNEL: Signature(DECLARATION, ("pointer", "pointer", "long long"))},
    group="values",
    budget=400_000,  # a right launch takes a hundredth; a loop that never ends is told at once
    checks=(
        Check(
            id="values",
            misconception="guard-too-strict",
            group="values",
            run=_values,
            seeded=True,
            source=GUIDE,
            sentence="All n elements are computed, those of a half-filled last block too.",
        ),
        Check(
            id="last-index",
            misconception="off-by-one",
            group="inside",
            run=_stays_inside(8, 1, 9, room=0),
            needs=("values",),
            source=GUIDE,
            sentence="The first thread behind the end, i = n, touches nothing.",
        ),
        Check(
            id="half-block",
            misconception="guard-on-block",
            group="inside",
            run=_stays_inside(5, 1, 8, room=1),
            needs=("values",),
            source=GUIDE,
            sentence="In a block that is only half needed, the other half touches nothing.",
        ),
        Check(
            id="spare-block",
            misconception="guard-in-block",
            group="inside",
            run=_stays_inside(8, 3, 4, room=1),
            needs=("values",),
            source=GUIDE,
            sentence="A block that lies wholly behind the end touches nothing.",
        ),
        Check(
            id="empty",
            misconception="no-guard",
            group="inside",
            run=_stays_inside(0, 1, 32, room=1),
            needs=("values",),
            source=GUIDE,
            sentence="With n = 0 no thread touches memory.",
        ),
    ),
)
