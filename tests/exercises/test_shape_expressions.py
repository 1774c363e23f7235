"""Chapter 8: the plans, the plugin of the worked example, the models of shape-sequence, the pictures."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from grader import course
from grader.checks.conformance.run import conform
from grader.exercises import check
from grader.exercises.ch08_shape_expressions import pictures
from grader.exercises.ch08_shape_expressions.models import (
    MOST_RUNS,
    RIGHT,
    VISIBLE,
    WRONG,
    Engine,
    catches,
    drawn_profile,
    first_wrong,
    outcome,
    right,
)
from grader.exercises.ch08_shape_expressions.story import drive
from grader.exercises.ch08_shape_expressions.yours import drive_yours
from grader.exercises.runner import plan_of
from grader.notebook.plugin import Draft
from grader.plugin.records import Shapes
from grader.toolchain import lane
from grader.verdict import State

ROOT = Path(__file__).parents[2]
SKELETONS, SOLUTIONS = ROOT / "plugin_skeletons/08_shape_expressions", ROOT / "solutions/08_shape_expressions"
SLUGS = [each.slug for each in course.chapter("shape-expressions", course.Tree(ROOT)).exercises]
RUNS = [(1, {"N": 2, "L": 5}), (2, {"N": 8, "L": 40}), (1, {"N": 2, "L": 5}), (1, {"N": 3, "L": 7})]
needs_plugins = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)


@pytest.fixture(scope="module")
def rows():
    return Draft({path.name: path.read_text() for path in sorted(SKELETONS.glob("pad_rows*"))})


@pytest.mark.parametrize("slug", SLUGS)
def test_checks_and_chapter_name_the_same_misconceptions_and_groups(slug):
    exercise = course.find(slug, course.Tree(ROOT))
    checks = plan_of(exercise).all_checks()
    assert {each.misconception for each in checks} - {None} == {each.id for each in exercise.misconceptions}
    assert {each.group for each in checks} == {each.id for each in exercise.groups}
    rows = {row.row for row in exercise.contract}
    cited = {each.source.removeprefix("contract: ") for each in checks if each.source.startswith("contract: ")}
    assert cited <= rows


@needs_plugins
def test_the_skeleton_is_told_what_to_do_first():
    found = {each.check: each for each in check("relative-position-bias", SKELETONS).checks}
    assert found["interface"].state is State.PASS
    assert found["shapes"].message.startswith("getOutputShapes() returns -1")
    assert {each.blocked_by for each in found.values()} == {None, "shapes"}


# The worked example


@needs_plugins
def test_the_plugin_of_the_worked_example_is_right(rows):
    report = conform(rows.library, rows.spec)
    assert report.level == "L1" and not [each.message for each in report.failed]


@needs_plugins
def test_a_driven_plugin_is_told_of_shapes_as_an_engine_tells_it(rows):
    driven = drive(rows, RUNS)
    assert [each.told for each in driven.steps] == [True, True, False, True]
    assert not any(each.problem for each in driven.steps)
    told = pictures.what_each_sees(driven.calls).alt
    assert "getOutputShapes of plugin 1 sees dims [N, L]" in told
    assert "configurePlugin of plugin 1 sees dims [-1, -1], min [1, 1], max [8, 40]" in told
    assert "enqueue of context 2 sees dims [8, 40]" in told
    assert "y.d[1] is ceil_div(L, 4) * 4, which is 16" in pictures.expressions(driven.shapes, [{"N": 4, "L": 13}]).alt


@needs_plugins
def test_a_wrong_plugin_is_seen_in_the_run_that_shows_it(rows):
    length = "length = inputDesc[0].dims.d[1];"
    first = "length = mLength = mLength == 0 ? inputDesc[0].dims.d[1] : mLength;"
    driven = drive(rows.changed(length, first), RUNS)
    assert [bool(each.problem) for each in driven.steps] == [False, False, False, True]


@needs_plugins
def test_room_for_the_usual_run_is_a_fault_in_the_largest(rows):
    size = "static_cast<size_t>(inputs[0].max.d[0] * inputs[0].max.d[1])"
    driven = drive(rows.changed(size, size.replace("max", "opt")), RUNS[:2])
    assert not driven.steps[0].problem and driven.steps[1].problem


@needs_plugins
def test_a_learners_plugin_is_driven_or_says_what_it_lacks(capsys):
    runs = [(1, {"B": 1, "H": 2, "D": 1, "Q": 5, "P": 0}), (1, {"B": 1, "H": 2, "D": 1, "Q": 1, "P": 5})]
    assert drive_yours(runs, SKELETONS) is None
    assert capsys.readouterr().out == "Not yet: getOutputShapes() returned -1.\n"
    assert [each.problem for each in drive_yours(runs, SOLUTIONS).steps] == ["", ""]


# The models


def test_a_model_computes_what_the_operator_does():
    assert right((2, 1)).tolist() == [[-1, 0, 1], [-2, -1, 0]]
    assert right((0, 3)).shape == (0, 3)
    engine = Engine({"Q": (0, 1, 4), "P": (0, 1, 4)})
    assert np.array_equal(outcome(RIGHT[0], engine, (1, 2, 1)), right((2, 1)))
    assert outcome(RIGHT[0], engine, (1, 5, 1)) is None


def test_a_context_is_told_when_its_own_extents_change():
    heard = []

    def model(engine, context, extents, changed):
        heard.append(changed)
        return extents

    first_wrong(model, VISIBLE[0], [(1, 2, 3), (2, 2, 3), (1, 2, 3), (1, 3, 2), (2, 2, 3)])
    assert heard == [True, True, False, True, False]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: each.name)
def test_a_wrong_model_is_right_at_its_first_usual_run(wrong):
    """None of them is caught by what its author would have tried."""
    usual = (1, VISIBLE[0]["Q"][1], VISIBLE[0]["P"][1])
    assert first_wrong(wrong.compute, VISIBLE[0], [usual, usual]) is None


def test_the_solution_shows_each_wrong_plugin_in_any_profile():
    spaces, rng = {}, np.random.default_rng(11)
    exec((SOLUTIONS / "shape_sequence.py").read_text(), spaces)
    for profile in (*VISIBLE, *(drawn_profile(rng) for _ in range(200))):
        runs = spaces["runs"](profile)
        assert len(runs) <= MOST_RUNS
        assert all(first_wrong(each, profile, runs) is None for each in RIGHT)
        shown = [each.name for each in WRONG if first_wrong(each.compute, profile, runs) is not None]
        assert shown == [each.name for each in WRONG if each.can_show(profile)]


def test_drawn_profiles_are_what_the_contract_says():
    rng = np.random.default_rng(2)
    for profile in (*VISIBLE, *(drawn_profile(rng) for _ in range(200))):
        assert all(low <= usual <= high and high - low >= 16 for low, usual, high in profile.values())


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("return 3", "must return a list of runs; it returned '3'"),
        ("return [(1, 8, 8)] * 9", "returned 9 runs; 8 at most are wanted"),
        ("return [(0, 8, 8)]", "a run is (context, Q, P), three whole numbers, the context 1 or 2"),
        ("return [(1, 8.0, 8)]", "(1, 8.0, 8) is none"),
        ("return [(1, 8, 10**9)]", "an extent is none that a tensor of this test has"),
    ],
)
def test_an_answer_of_another_form_is_told_so(answer, told):
    cell = f"def runs(profile):\n    {answer}\n"
    found = {each.check: each for each in check("shape-sequence", ROOT, cells={"shape-sequence": cell}).checks}
    assert told in found["well-formed"].message


def test_what_learners_start_from_shows_two_plugins():
    text = (ROOT / "authoring/08_shape_expressions.md").read_text()
    cell = text.split(":answer: shape-sequence\n")[1].split("```")[0]
    found = {each.check: each for each in check("shape-sequence", ROOT, cells={"shape-sequence": cell}).checks}
    passing = {id for id, each in found.items() if each.state is State.PASS}
    assert passing == {"defines", "well-formed", "right-pass", "first-run", "usual", "one-short"}


def test_catches_has_a_line_for_each_plugin(capsys):
    catches(lambda profile: [(1, profile["Q"][2], profile["P"][2])])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["right", "right", *(each.name for each in WRONG)]


def test_the_overview_has_the_shape_that_the_solution_builds():
    assert "bias.d[3] is ceil_div(P + Q, 8) * 8, which is 16, 16, 8" in pictures.overview().alt
    none = dataclasses.replace(Shapes(0, (("s", "L"),), ((0,),)), status=0)
    assert "y.d[0] is L, which is 7" in pictures.expressions(none, [{"L": 7}]).alt
