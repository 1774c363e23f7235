"""masked-gelu-cases: write the inputs that tell broken Masked GELU kernels from right ones."""

from __future__ import annotations

import weakref

import numpy as np

from grader.checks import Check, Finding, failed, passed
from grader.exercises.ch10_masked_gelu.models import BROKEN, Broken, told_apart
from grader.exercises.python import PythonBench, PythonPlan

FUNCTION = "cases"
MOST_CASES, MOST_ELEMENTS = 12, 8192
SEED = 1  # the seed that the single kernels are tried with
DRAWN = 6  # further seeds that must do as well

GROUPS = {
    "mask": ("multiplies", "is-one", "signed", "inverted", "forgets-zeros", "first-blocks-mask"),
    "sizes": ("whole-blocks", "whole-vectors", "one-pass"),
    "numbers": ("loses-nan", "minus-infinity", "tanh-form"),
}
# What a set of tests lacks that lets this kernel through.
BLIND_SPOTS = {
    "multiplies": "nothing-wild-hidden",
    "is-one": "mask-zero-or-one",
    "signed": "small-bytes",
    "inverted": "mask-unused",
    "forgets-zeros": "mask-all-ones",
    "first-blocks-mask": "mask-repeats",
    "whole-blocks": "whole-blocks-tested",
    "whole-vectors": "even-sizes",
    "one-pass": "small-only",
    "loses-nan": "no-nan-kept",
    "minus-infinity": "no-infinity-kept",
    "tanh-form": "straight-parts-only",
}

_answers: weakref.WeakKeyDictionary[PythonBench, dict] = weakref.WeakKeyDictionary()


def _ask(bench: PythonBench, *seeds: int):
    """The learner's cases for each seed, asked for once; or the finding that says what is wrong with them."""
    asked = _answers.setdefault(bench, {})
    if seeds not in asked:
        answers = bench.call(FUNCTION, *[(seed,) for seed in seeds])
        if not isinstance(answers, Finding):
            problem = next(filter(None, map(_problem, answers)), None)
            answers = failed(problem) if problem else answers
        asked[seeds] = answers
    return asked[seeds]


def _problem(cases) -> str | None:
    """What is wrong with the form of one answer, in a sentence."""
    if not isinstance(cases, list) or not cases:
        return f"{FUNCTION}(seed) must return a list of at least one (x, mask)."
    if len(cases) > MOST_CASES:
        return (
            f"{FUNCTION}(seed) returned {len(cases)} cases; {MOST_CASES} are enough, and all that is taken."
        )
    for i, case in enumerate(cases):
        if not (
            isinstance(case, tuple | list) and len(case) == 2 and all(isinstance(a, np.ndarray) for a in case)
        ):
            return f"Case {i} is not a pair (x, mask) of NumPy arrays."
        x, mask = case
        if x.dtype != np.float32 or mask.dtype != np.uint8:
            return f"Case {i}: x must be float32 and mask uint8; they are {x.dtype} and {mask.dtype}."
        if x.ndim != 1 or x.shape != mask.shape:
            shapes = f"their shapes are {x.shape} and {mask.shape}"
            return f"Case {i}: x and mask must be one-dimensional and equally long; {shapes}."
        if x.size > MOST_ELEMENTS:
            return f"Case {i} has {x.size:,} elements; {MOST_ELEMENTS:,} are the most."
    return None


def _well_formed(bench, rng) -> Finding:
    answers = _ask(bench, SEED)
    return answers if isinstance(answers, Finding) else passed(f"{len(answers[0])} cases")


def _repeatable(bench, rng) -> Finding:
    once = _ask(bench, SEED)
    again = bench.call(FUNCTION, (SEED,), (SEED,))
    for answers in (once, again):
        if isinstance(answers, Finding):
            return answers
    for other in again:
        same = isinstance(other, list) and len(other) == len(once[0]) and _problem(other) is None
        if not same or any(
            a.tobytes() != b.tobytes()
            for c, d in zip(once[0], other, strict=True)
            for a, b in zip(c, d, strict=True)
        ):
            return failed(
                f"{FUNCTION}({SEED}) gave other arrays when called again. Draw everything from the seed."
            )
    return passed()


def _catches(broken: Broken):
    def run(bench, rng) -> Finding:
        answers = _ask(bench, SEED)
        if isinstance(answers, Finding):
            return answers
        if told_apart(broken.kernel, answers[0]):
            return passed()
        return failed(
            f"It still escapes: on {_all_of(len(answers[0]))} it gives what a right kernel gives."
        )

    return run


def _all_of(cases: int) -> str:
    return "your only case" if cases == 1 else f"all of your {cases} cases"


def _every_seed(bench, rng) -> Finding:
    seeds = tuple(int(s) for s in rng.integers(2, 2**31, DRAWN))
    answers = _ask(bench, *seeds)
    if isinstance(answers, Finding):
        return answers
    usual = _ask(bench, SEED)
    for broken in BROKEN:
        if isinstance(usual, Finding) or not told_apart(broken.kernel, usual[0]):
            continue  # its own check says so
        for seed, cases in zip(seeds, answers, strict=True):
            if not told_apart(broken.kernel, cases):
                return failed(
                    f"With seed {seed} the kernel that {broken.name} escapes, though seed {SEED} catches it."
                )
    return passed()


def _checks() -> tuple[Check, ...]:
    group_of = {id: group for group, ids in GROUPS.items() for id in ids}
    catches = [
        Check(
            id=f"catches-{b.id}", misconception=BLIND_SPOTS[b.id], group=group_of[b.id], run=_catches(b),
            needs=("well-formed",), source="contract: a caught kernel",
            sentence=f"Your cases catch the kernel that {b.name}.",
        )
        for b in BROKEN
    ]  # fmt: skip
    return (
        Check(
            id="well-formed", misconception=None, group="mask", needs=("defines",), run=_well_formed,
            source="contract: a case",
            sentence=f"{FUNCTION}(seed) returns 1 to {MOST_CASES} pairs (x, mask), float32 and uint8.",
        ),
        Check(
            id="repeatable", misconception="unseeded", group="mask", needs=("well-formed",), run=_repeatable,
            source="contract: the seed", sentence="The same seed always gives the same cases.",
        ),
        *catches,
        Check(
            id="every-seed", misconception="lucky-draw", group="mask", run=_every_seed, seeded=True,
            needs=("well-formed",), source="contract: the seed",
            sentence="What is caught is caught with every seed, not by a lucky draw.",
        ),
    )  # fmt: skip


PLAN = PythonPlan(function=FUNCTION, checks=_checks(), group="mask")
