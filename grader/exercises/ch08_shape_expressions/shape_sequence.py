"""shape-sequence: choose the runs that show each of ten wrong plugins, and none that a right one may refuse.

The plugins are models (``models.py``). A check for each wrong one, and one for the right ones, over four profiles that
are shown and over drawn ones.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import numpy as np

from grader.checks import Check, Finding, failed, passed
from grader.exercises.ch08_shape_expressions.models import (
    CONTEXTS,
    MOST_RUNS,
    RIGHT,
    VISIBLE,
    WRONG,
    Profile,
    Run,
    Wrong,
    drawn_profile,
    first_wrong,
)
from grader.exercises.python import PythonBench, PythonPlan

FUNCTION = "runs"
_DRAWN = 12
_asked: weakref.WeakKeyDictionary[PythonBench, dict] = weakref.WeakKeyDictionary()


def _answers(bench: PythonBench, hidden: bool, rng) -> list[tuple[Profile, object]] | Finding:
    """Each profile with the answer for it, all in one process; asked for once."""
    draw = int(rng.integers(2**62)) if hidden else None
    asked = _asked.setdefault(bench, {})
    if draw not in asked:
        drawer = np.random.default_rng(draw)
        profiles = [drawn_profile(drawer) for _ in range(_DRAWN)] if hidden else VISIBLE
        found = bench.call(FUNCTION, *[(dict(each),) for each in profiles])
        asked[draw] = found if isinstance(found, Finding) else list(zip(profiles, found, strict=True))
    return asked[draw]


def _form(answer) -> str | None:
    """What is wrong with the form of an answer."""
    if not isinstance(answer, (list, tuple)) or not answer:
        return f"{FUNCTION}(profile) must return a list of runs; it returned {str(answer)[:80]!r}"
    if len(answer) > MOST_RUNS:
        return f"{FUNCTION}(profile) returned {len(answer)} runs; {MOST_RUNS} at most are wanted"
    for run in answer:
        whole = isinstance(run, (list, tuple)) and len(run) == 3 and all(type(each) is int for each in run)
        if not whole or run[0] not in CONTEXTS:
            return f"a run is (context, Q, P), three whole numbers, the context 1 or 2; {str(run)[:60]} is none"
        if any(not 0 <= each < 4096 for each in run[1:]):
            return f"in the run {str(tuple(run))[:60]} an extent is none that a tensor of this test has"
    return None


def _well_formed(bench: PythonBench, rng) -> Finding:
    return _over(bench, False, rng, lambda profile, runs: None)


def _over(bench: PythonBench, hidden: bool, rng, problem_of) -> Finding:
    answers = _answers(bench, hidden, rng)
    if isinstance(answers, Finding):
        return answers
    for profile, answer in answers:
        if problem := _form(answer):
            return failed(f"With {_shown(profile)}, {problem}.")
        if problem := problem_of(profile, [tuple(run) for run in answer]):
            return failed(f"With {_shown(profile)}, {problem}")
    return passed()


def _shown(profile: Profile) -> str:
    return " and ".join(f"{name} from {low} to {high} (usually {opt})" for name, (low, opt, high) in profile.items())


def _refused(profile: Profile, runs: Sequence[Run]) -> str | None:
    for model in RIGHT:
        at = first_wrong(model, profile, runs)
        if at is not None:
            return f"the run {runs[at]} is beyond the profile: TensorRT refuses it, and a right plugin may."
    return None


def _shows(wrong: Wrong):
    def problem(profile: Profile, runs: Sequence[Run]) -> str | None:
        if not wrong.can_show(profile) or first_wrong(wrong.compute, profile, runs) is not None:
            return None
        return f"a plugin passes that {wrong.what}. Your runs are {', '.join(map(str, runs))}."

    return problem


def _check(id: str, misconception: str, group: str, sentence: str, problem_of) -> Check:
    return Check(
        id=id, misconception=misconception, group=group, seeded=True, needs=("well-formed",), sentence=sentence,
        run=lambda bench, rng: _over(bench, False, rng, problem_of), source="contract: wrong plugins",
        run_hidden=lambda bench, rng: _over(bench, True, rng, problem_of),
    )  # fmt: skip


_OWNED = {  # by wrong plugin: the misconception of a test that lets it pass, and the group of points
    "first-run": ("one-run-for-each", "changes"), "grows-only": ("larger-is-harder", "changes"),
    "same-row": ("every-change-looks-different", "changes"), "static": ("one-after-the-other", "changes"),
    "usual": ("usual-is-typical", "extents"), "square": ("alike-is-simple", "extents"),
    "no-tail": ("round-numbers", "extents"), "one-short": ("nearly-largest", "extents"),
    "empty-output": ("nothing-needs-no-test", "empty"), "empty-past": ("one-zero-is-enough", "empty"),
}  # fmt: skip

PLAN = PythonPlan(
    function=FUNCTION, group="empty",
    checks=(
        Check(
            id="well-formed", misconception=None, group="empty", needs=("defines",), run=_well_formed,
            source="contract: the answer",
            sentence=f"{FUNCTION}(profile) returns at most {MOST_RUNS} runs, each a context, Q and P.",
        ),
        _check("right-pass", "further-is-safer", "empty", "Right plugins pass: no run is beyond the profile.",
               _refused),
        *(
            _check(each.name, *_OWNED[each.name], f"A plugin is caught that {each.what}.", _shows(each))
            for each in WRONG
        ),
    ),
)  # fmt: skip
