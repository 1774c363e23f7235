"""Chapter 7: the plans, the worked example's numbers, the skeleton with its defects, the models of the test."""

import sys
from pathlib import Path

import numpy as np
import pytest

from grader import course
from grader.exercises.adapters.plugin_model import Model, call
from grader.exercises.ch07_types_and_formats import combination_test, pictures, story
from grader.exercises.runner import plan_of
from grader.notebook.plugin import Draft
from grader.proof.patch import read_variant
from grader.toolchain import lane

ROOT = Path(__file__).parents[2]
SKELETONS, SOLUTIONS = ROOT / "plugin_skeletons/07_types_and_formats", ROOT / "solutions/07_types_and_formats"
VARIANTS = ROOT / "tests/variants"
SLUGS = [each.slug for each in course.chapter("types-and-formats", course.Tree(ROOT)).exercises]
DEFECTS = ("left-output", "left-gate", "left-layouts", "left-types")
needs_plugins = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)


@pytest.mark.parametrize("slug", SLUGS)
def test_checks_and_chapter_name_the_same_misconceptions_and_groups(slug):
    exercise = course.find(slug, course.Tree(ROOT))
    checks = plan_of(exercise).all_checks()
    assert {each.misconception for each in checks} - {None} == {each.id for each in exercise.misconceptions}
    assert {each.group for each in checks} == {each.id for each in exercise.groups}
    rows = {row.row for row in exercise.contract}
    cited = {part.removeprefix("contract: ") for each in checks for part in each.source.split("; ")
             if part.startswith("contract: ")}  # fmt: skip
    assert cited <= rows


def test_the_skeleton_of_the_gate_is_the_solution_with_its_four_defects():
    files = {"channel_gate.cpp": (SOLUTIONS / "channel_gate.cpp").read_bytes()}
    for name in DEFECTS:
        files = read_variant(VARIANTS / "formats-that-lie" / f"{name}.patch").apply(files)
    assert files["channel_gate.cpp"] == (SKELETONS / "channel_gate.cpp").read_bytes()


# The worked example


@needs_plugins
def test_the_numbers_of_a_public_report_come_out_again(capsys):
    """PaddlePaddle/Paddle#58566: 2048 of 12288 elements of an FP16 image of 3 * 64 * 64."""
    swish = Draft({path.name: path.read_text() for path in SKELETONS.glob("swish*")})
    story.offers(swish)
    assert ": 2 combinations" in capsys.readouterr().out
    anything = swish.changed(" && format == TensorFormat::kLINEAR;", ";")
    story.try_out(anything, "float16", "chw2", N=1, H=64, W=64)
    told = capsys.readouterr().out
    assert "12288 elements, 16384 stored" in told and "2048 elements of y are wrong (16.7%)" in told
    story.try_out(anything, "float32", "hwc", N=1, H=64, W=64)
    assert "0 elements of y are wrong" in capsys.readouterr().out


def test_bits_of_one_type_are_another_number_of_the_other(capsys):
    story.bits(1.5)
    assert "read as FP16 is 1.9375" in capsys.readouterr().out


def test_the_picture_of_formats_says_what_lies_where():
    told = pictures.layouts().alt
    assert "kLINEAR: channel 0 pixel 0, channel 0 pixel 1" in told
    assert "kCHW2: channel 0 pixel 0, channel 1 pixel 0" in told
    assert "kHWC8: channel 0 pixel 0, channel 1 pixel 0, channel 2 pixel 0, padding" in told
    assert "createPlugin() reads" in pictures.promise().alt


# The models


def _answer():
    sys.path.insert(0, str(SOLUTIONS))
    try:
        from combination_test import problems
    finally:
        sys.path.remove(str(SOLUTIONS))
    return problems


@pytest.mark.parametrize("where", ["visible", "hidden"])
def test_every_problem_occurs_and_the_solution_finds_exactly_it(where):
    cases = combination_test.visible() if where == "visible" else combination_test._hidden()
    assert {one for case in cases for one in case.problems} == set(combination_test.MEANS)
    assert {case.theme for case in cases} == {"", "types", "formats", "inputs"}
    assert sum(not case.problems for case in cases) >= 4
    problems = _answer()
    for case in cases:
        assert sorted(call(problems, dict(case.model))) == sorted(case.problems), case.id


def test_a_right_model_computes_what_it_accepts():
    rng = np.random.default_rng(3)
    x, slope = rng.uniform(-4, 4, (2, 11, 3, 5)).astype(np.float32), rng.uniform(-1, 2, 11)
    right = np.where(x < 0, slope[:, None, None] * x, x)
    for layout in Model.FORMATS:
        model = Model({"accepts": [["float16", layout]], "kernel": []})
        assert np.allclose(model.run(x, slope, [("float16", layout)] * 2), right, atol=0.01), layout


def test_bad_questions_to_a_model_are_told():
    model = combination_test.plugin("three")
    with pytest.raises(ValueError, match="pos is 0 for x or 1 for y"):
        model.supports(2, [("float32", "linear")] * 2)
    with pytest.raises(ValueError, match="x is an array"):
        model.run(np.ones(3), 1, [("float32", "linear")] * 2)
    with pytest.raises(ValueError, match="run\\(\\) takes float32"):
        model.run(np.ones((1, 1, 1, 1)), 1, [("bool", "linear")] * 2)
    with pytest.raises(ValueError, match="there is no plugin 'nobody-knows'"):
        combination_test.plugin("nobody-knows")


def test_an_answer_that_fails_on_one_plugin_is_told_with_its_words():
    told = call(lambda plugin: 1 / 0, {"accepts": [], "kernel": []})
    assert "division by zero" in told["error"]
