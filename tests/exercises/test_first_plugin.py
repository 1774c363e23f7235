"""Chapter 6: the plans, a kernel that is checked before the plugin around it, the worked example, the tour."""

from pathlib import Path

import numpy as np
import pytest

from grader import course
from grader.checks import Check, passed
from grader.checks.conformance.run import conform
from grader.exercises import check
from grader.exercises.ch06_first_plugin import pictures, workshop
from grader.exercises.ch06_first_plugin.kernels import Kernel, leaky_relu, relu
from grader.exercises.kernel_part import COMPILES, SIGNATURE, KernelPart
from grader.exercises.runner import plan_of
from grader.notebook.plugin import Draft, live
from grader.proof.patch import read_variant
from grader.toolchain import lane
from grader.verdict import State

ROOT = Path(__file__).parents[2]
SKELETONS, SOLUTIONS = ROOT / "plugin_skeletons/06_first_plugin", ROOT / "solutions/06_first_plugin"
SLUGS = [each.slug for each in course.chapter("first-plugin", course.Tree(ROOT)).exercises]
needs_plugins = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)


@pytest.mark.parametrize("slug", SLUGS)
def test_checks_and_chapter_name_the_same_misconceptions_and_groups(slug):
    exercise = course.find(slug, course.Tree(ROOT))
    checks = plan_of(exercise).all_checks()
    assert {each.misconception for each in checks} - {None} == {each.id for each in exercise.misconceptions}
    assert {each.group for each in checks} == {each.id for each in exercise.groups}
    rows = {row.row for row in exercise.contract}
    cited = {each.source.removeprefix("contract: ") for each in checks if each.source.startswith("contract: ")}
    assert cited <= rows


# A kernel by itself, and then the plugin


@pytest.mark.parametrize("slug", SLUGS)
def test_what_runs_kernels_waits_for_the_kernel_and_nothing_else_does(slug):
    plan = plan_of(course.find(slug, course.Tree(ROOT)))
    checks = {each.id: each for each in plan.all_checks()}
    waiting = {id for id, each in checks.items() if set(plan.kernel.needed) <= set(each.needs)}
    assert {"values", "values-zero", "stream", "status", "clone-ready"} <= waiting
    assert not waiting & {"exports", "identity", "clone-equal", "formats-complete", "shapes", "serialize-lifetime"}
    assert [*checks][:3] == [COMPILES, SIGNATURE, "kernel-values"] and checks["compiles"].needs == (COMPILES,)


def answer(slug, variant, folder):
    files = {path.name: path.read_bytes() for path in SOLUTIONS.iterdir() if path.is_file()}
    if variant:
        files = read_variant(ROOT / "tests/variants" / slug / f"{variant}.patch").apply(files)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def failed(verdict):
    return {each.check for each in verdict.checks if each.state is not State.PASS and not each.blocked_by}


@needs_plugins
def test_a_wrong_kernel_is_one_failure_and_the_class_is_judged_all_the_same(tmp_path):
    verdict = check("relu-plugin", answer("relu-plugin", "fmaxf", tmp_path))
    assert failed(verdict) == {"kernel-nan"}
    found = {each.check: each for each in verdict.checks}
    assert found["values"].blocked_by == found["leaks"].blocked_by == "kernel-nan"
    assert found["clone-equal"].state is found["shapes"].state is State.PASS
    assert verdict.earned == 5, "what needs no kernel earns its points"


@needs_plugins
def test_a_kernel_is_judged_whatever_state_the_class_is_in(tmp_path):
    folder = answer("relu-plugin", "", tmp_path)
    (folder / "relu_plugin.cpp").write_text('#include "relu.h"\nint32_t Relu::nothing() { return 0 }\n')
    verdict = check("relu-plugin", folder)
    assert failed(verdict) == {"compiles"} and "relu_f32" in verdict.counters
    assert verdict.earned == 3, "the kernel's points"


@needs_plugins
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("relu_f32(float", "relu(float", "There is no kernel relu_f32"),
        ("int64_t n)\n{\n    int64_t const step", "int n)\n{\n    int64_t const step", "Parameter 3 of relu_f32"),
    ],
)
def test_a_kernel_of_another_name_or_signature_is_told_so(old, new, said, tmp_path):
    path = answer("relu-plugin", "", tmp_path) / "relu_kernel.cu"
    text = path.read_text()
    path.write_text(text.replace(old, new, 1).replace("relu_f32<<<", "relu<<<" if "relu(" in new else "relu_f32<<<"))
    verdict = check("relu-plugin", tmp_path)
    assert failed(verdict) == {SIGNATURE}
    assert said in next(each.message for each in verdict.checks if each.check == SIGNATURE)


def test_a_kernel_part_names_checks_that_it_has():
    one = Check(id="one", sentence="", misconception=None, group="g", run=lambda bench, rng: passed())
    part = KernelPart(file="a.cu", kernels={}, checks=(one,), group="g", waited_for=())
    assert part.needed == (SIGNATURE,)
    with pytest.raises(ValueError, match="no check two"):
        KernelPart(file="a.cu", kernels={}, checks=(one,), group="g", waited_for=("two",))


@needs_plugins
def test_skeletons_are_told_what_to_do_first():
    first = {"relu-plugin": {"kernel-values", "exports"}, "leaky-relu": {"kernel-values", "capabilities"},
             "seams": {"kernel-stride", "serialize-complete", "fp32-alone"}}  # fmt: skip
    for slug, wanted in first.items():
        verdict = check(slug, SKELETONS)
        assert failed(verdict) == wanted
        assert all(len(each.message) > 30 for each in verdict.checks if each.check in wanted)


def test_what_the_kernels_must_give():
    x = np.array([-2, 3, np.nan, -np.inf, np.inf], np.float32)
    np.testing.assert_array_equal(relu(x, 0), np.array([0, 3, np.nan, 0, np.inf], np.float32))
    np.testing.assert_array_equal(leaky_relu(x, 1.5), np.array([-3, 3, np.nan, -np.inf, np.inf], np.float32))
    assert Kernel("k", relu).signature.parameters == ("pointer", "pointer", "long long")


# The notebook


@needs_plugins
def test_the_worked_example_is_right_and_one_lost_argument_goes_unnoticed_in_a_life():
    example = Draft(workshop.square(), title="square")
    report = conform(example.library, example.spec)
    assert report.level == "L1" and not [each.message for each in report.failed]
    careless = example.changed("256, 0, stream>>>", "256>>>")
    right, life = live(example), live(careless)
    assert right.outputs and all(
        np.array_equal(one, other) for at in right.outputs
        for one, other in zip(right.outputs[at], life.outputs[at], strict=True)
    )  # fmt: skip
    assert {each.check for each in conform(careless.library, careless.spec, only=["stream"]).failed} == {"stream"}


@needs_plugins
@pytest.mark.parametrize("name", ["relu", "leaky_relu"])
def test_the_tour_takes_a_plugin_from_its_files_to_numbers(name, tmp_path, capsys):
    folder = answer("", "", tmp_path)
    for given in SKELETONS.glob("*.h"):
        if not (folder / given.name).exists():
            (folder / given.name).write_text(given.read_text())
    workshop.tour(name, folder)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["built", "registry", "plan", "x", "y"]
    assert "finds the creator" in lines[1] and "nan" in lines[4]
    workshop.tour(name, SKELETONS)
    said = capsys.readouterr().out
    assert "no creator" in said if name == "relu" else "It stops here: createPlugin() returned null" in said


def test_pictures_say_in_words_what_they_show():
    for picture in (pictures.overview(), pictures.way()):
        assert "enqueue" in picture.alt and "<svg" in picture.svg()
