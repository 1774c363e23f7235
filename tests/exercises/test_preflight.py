"""preflight: the facts are of libraries that were really built, and what is said of them is what happens."""

import datetime
import random
import sys
from pathlib import Path

import pytest

from grader import course
from grader.exercises import check
from grader.exercises.ch05_build_and_load.panel import library_file
from grader.exercises.ch05_build_and_load.preflight import ALARMS, CATCHES, PLAN
from grader.plugin.application import Step, ask
from grader.plugin.build import HostUnavailable
from grader.toolchain import locate
from grader.verdict import State

sys.path.append(str(Path(__file__).parent / "not_found"))
import gather  # noqa: E402
import gather_files  # noqa: E402

ROOT = Path(__file__).parents[2]
SLUG = "preflight"
SOLUTION = (ROOT / "solutions/05_build_and_load/preflight.py").read_text()
VISIBLE, HIDDEN = (gather.read(path) for path in (gather_files.VISIBLE, gather_files.HIDDEN))
ALL = VISIBLE + HIDDEN
DRAW = random.Random(datetime.date.today().toordinal())  # others every day; gather_files.py makes all anew
PLAIN = DRAW.sample([case for case in ALL if not case["made"].get("kernels")], 6)
KERNELS = DRAW.sample([case for case in ALL if case["made"].get("kernels")], 2)  # nvcc takes seconds for each
LOADING = [case for case in VISIBLE if not case["made"].get("kernels")]


def judged(cell: str):
    verdict = check(SLUG, ROOT, cells={SLUG: cell}, hidden=True, seed=1, reveal=True)
    return verdict, {each.check: each for each in verdict.checks}


@pytest.mark.parametrize("case", [*PLAIN, *KERNELS], ids=lambda case: case["id"])
def test_the_facts_are_what_the_file_says(case, tmp_path):
    if locate.toolkit() is None or not locate.toolkit().nvcc:
        pytest.skip("nvcc is not here: run grader plugin-lane")
    assert gather_files.facts(case["made"], tmp_path.resolve()) == case["facts"]


@pytest.mark.parametrize("case", LOADING, ids=lambda case: case["id"])
def test_what_is_said_of_a_library_happens(case, tmp_path):
    """On this machine, which has CUDA's runtime and no cuBLAS: what is right is found, what is wrong is not."""
    library = gather.build(tmp_path.resolve(), case["made"])
    name = case["made"]["macros"]["NAME"]
    try:
        answer = ask([Step(case["target"]["opens"], library)], name, "1", "")
        opened = ask([Step("dlopen", library)], name, "1", "").steps[0]
    except HostUnavailable as lacking:
        pytest.skip(str(lacking))
    if "libcublas.so.13" in case["target"]["libraries"]:
        pytest.skip("there is no cuBLAS here")
    if case["problems"] == ["undefined-symbol"]:  # loadLibrary binds late: it is missed when it is called
        assert answer.found and "undefined symbol" in opened.error
    else:
        assert bool(answer.found) == (not case["problems"])


def test_there_are_cases_enough():
    for cases in (VISIBLE, HIDDEN):
        assert set(CATCHES) == {problem for case in cases for problem in case["problems"]}
        assert sum(not case["problems"] for case in cases) >= 6
        assert any(case.get("theme") == "every-kernel" for case in cases)
    assert len(HIDDEN) >= 18 and len({case["id"] for case in ALL}) == len(ALL)


def test_checks_and_chapter_name_the_same_misconceptions_and_groups():
    exercise = course.find(SLUG, course.Tree(ROOT))
    checks = PLAN.all_checks()
    assert {c.misconception for c in checks} - {None} == {m.id for m in exercise.misconceptions}
    assert {c.group for c in checks} == {g.id for g in exercise.groups}
    rows = {row.row for row in exercise.contract}
    assert {c.source.removeprefix("contract: ") for c in checks if c.source} <= rows
    assert {id for *_, about in ALARMS.values() for id in about} == set(CATCHES)


def test_the_solution_passes_and_silence_earns_nothing():
    assert judged(SOLUTION)[0].earned == 6
    verdict, found = judged("def problems(facts, target):\n    return []\n")
    assert verdict.earned == 0 and found["quiet-device"].blocked_by
    assert "finds nothing, and misses no-code-for-gpu" in found["catches-no-code-for-gpu"].message


def test_a_test_that_always_cries_is_told_so():
    verdict, found = judged(f"def problems(facts, target):\n    return {list(CATCHES)!r}\n")
    assert found["quiet-linking"].state is found["quiet-device"].state is State.FAIL
    assert "Case plain" in found["quiet-device"].message and "false alarm" in found["quiet-device"].message
    assert verdict.earned == 0


def test_an_error_and_a_random_case_are_told_with_what_matters():
    _, found = judged("def problems(facts, target):\n    return [float(target['gpus'][0])] * 0\n")
    assert "Case simulated (“" in found["answers"].message and "'simulated'" in found["answers"].message
    exact = SOLUTION.replace("made[:-1] == has[:-1] and made <= has", "made[:-1] == has[:-1]")
    _, found = judged(exact)
    failures = [each.message for each in found.values() if each.state is State.FAIL and "Case h-" in each.message]
    assert failures and "`device_code` is [" in failures[0] and "`gpus` is [" in failures[0]


@pytest.mark.parametrize(
    ("answer", "told"), [("None", "not a list of texts"), ("['lost']", "none of the problems"), ("[3]", "not a list")]
)
def test_an_answer_of_another_form_is_told_kindly(answer, told):
    _, found = judged(f"def problems(facts, target):\n    return {answer}\n")
    assert found["answers"].state is State.FAIL and told in found["answers"].message


def test_a_library_can_be_looked_at():
    assert len(library_file().rows) == len(VISIBLE)
    shown = library_file("one-of-two")
    assert shown.facts["device_code"] == [["compute_80"], ["sm_90"]] and "8.6" in shown._repr_html_()
    with pytest.raises(KeyError, match="there is no case"):
        library_file("nothing")
