"""creator-not-found: its cases are what really happens, each cause is there, and the sentences help."""

import datetime
import json
import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from grader import course
from grader.exercises import check
from grader.exercises.ch05_build_and_load.cases import CAUSES, KEYS, Case, read, renaming, visible, visible_text
from grader.exercises.ch05_build_and_load.creator_not_found import PLAN, THEMES
from grader.exercises.ch05_build_and_load.panel import not_found
from grader.plugin.build import HostUnavailable
from grader.verdict import State

sys.path.append(str(Path(__file__).parent / "not_found"))
import gather  # noqa: E402

ROOT = Path(__file__).parents[2]
SLUG = "creator-not-found"
SOLUTION = (ROOT / "solutions/05_build_and_load/creator_not_found.py").read_text()
VISIBLE, HIDDEN = (gather.read(path) for path in (gather.VISIBLE, gather.HIDDEN))
TODAY = datetime.date.today().toordinal()
DRAWN = random.Random(TODAY).sample(HIDDEN, 6)  # of the hidden ones, others every day; gather.py makes all anew


def judged(cell: str):
    verdict = check(SLUG, ROOT, cells={SLUG: cell})
    return verdict, {each.check: each for each in verdict.checks}


@pytest.mark.parametrize("case", [*VISIBLE, *DRAWN], ids=lambda case: case["id"])
def test_a_case_is_what_happens(case, tmp_path):
    try:
        found = gather.evidence(case["made"], tmp_path.resolve())
    except HostUnavailable as lacking:
        pytest.skip(str(lacking))
    assert found == case["evidence"]
    assert gather.proofs(case["cause"], found) == case["proofs"]


def test_there_are_cases_enough():
    assert len(HIDDEN) >= 18
    for cases in (VISIBLE, HIDDEN):
        assert {case["cause"] for case in cases} == set(CAUSES)
        assert {case["theme"] for case in cases} == set(THEMES)
        assert len({case["id"] for case in cases}) == len(cases)
    assert all(Counter(case["theme"] for case in HIDDEN)[theme] >= 2 for theme in THEMES)
    for case in VISIBLE + HIDDEN:
        assert set(case["evidence"]) == set(KEYS) and set(case["proofs"]) <= set(KEYS)
    mine = {json.dumps(case["evidence"]) for case in VISIBLE}
    assert not mine & {json.dumps(case["evidence"]) for case in HIDDEN}


def test_other_names_leave_the_cases_as_they_are():
    names = renaming(np.random.default_rng(5))
    assert all(len(old) == len(new) for old, new in names.items())
    renamed = read(visible_text(), names)
    assert "ScaleShift" not in str([case.evidence for case in renamed])
    assert [(c.id, c.cause, c.proofs) for c in renamed] == [(c.id, c.cause, c.proofs) for c in visible()]


def test_checks_and_chapter_name_the_same_misconceptions_and_groups():
    exercise = course.find(SLUG, course.Tree(ROOT))
    checks = PLAN.all_checks()
    assert {c.misconception for c in checks} - {None} == {m.id for m in exercise.misconceptions}
    assert {c.group for c in checks} == {g.id for g in exercise.groups}
    rows = {row.row for row in exercise.contract}
    assert {c.source.removeprefix("contract: ") for c in checks if c.source} <= rows


def test_the_solution_passes_and_a_guess_does_not():
    verdict, _ = judged(SOLUTION)
    assert verdict.state is State.PASS and verdict.earned == 8
    verdict, found = judged("def cause(evidence):\n    return 'not-loaded', 'steps'\n")
    assert verdict.earned == 0 and found["not-loaded"].state is State.PASS
    assert "Case next-version" in found["other-triple"].message and "registry" in found["other-triple"].message


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("None", "not a pair"),
        ("'refused'", "not a pair"),
        ("('lost', 'log')", "none of the six causes"),
        ("('refused', 'evidence')", "no key of the evidence"),
    ],
)
def test_an_answer_of_another_form_is_told_kindly(answer, told):
    _, found = judged(f"def cause(evidence):\n    return {answer}\n")
    assert found["answers"].state is State.FAIL and told in found["answers"].message


def test_a_right_cause_with_a_wrong_proof_is_told_as_that():
    verdict, found = judged(SOLUTION.replace('"does-not-load", "linker"', '"does-not-load", "needed"'))
    wrong = [id for id, each in found.items() if each.state is State.FAIL]
    assert wrong == ["proofs"] and "'needed' does not prove it" in found["proofs"].message
    assert verdict.earned == 6


def test_a_case_can_be_looked_at():
    assert len(not_found().rows) == len(VISIBLE)
    shown = not_found("neighbour-fails")
    assert isinstance(visible()[0], Case) and shown.evidence["file"] == "libscale_shift.so"
    assert "getCreator(&#x27;ScaleShift&#x27;, &#x27;1&#x27;, &#x27;&#x27;)" in shown._repr_html_()
    assert "libclamp.so · null" in repr(shown)
    with pytest.raises(KeyError, match="there is no case"):
        not_found("nothing")
