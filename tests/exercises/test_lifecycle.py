"""Chapter 4: the plans, the recorded life and what is said about its order, the plugin of the worked example."""

from pathlib import Path

import pytest

from grader import course
from grader.checks.conformance.run import conform
from grader.exercises import check
from grader.exercises.ch04_lifecycle import order, pictures
from grader.exercises.ch04_lifecycle.story import whole_life
from grader.exercises.runner import plan_of
from grader.notebook.plugin import Draft
from grader.toolchain import lane
from grader.verdict import State

ROOT = Path(__file__).parents[2]
SKELETONS, SOLUTIONS = ROOT / "plugin_skeletons/04_lifecycle", ROOT / "solutions/04_lifecycle"
SLUGS = [each.slug for each in course.chapter("lifecycle", course.Tree(ROOT)).exercises]
needs_plugins = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)


@pytest.fixture(scope="module")
def gain():
    return Draft({path.name: path.read_text() for path in SKELETONS.glob("channel_gain*")})


@pytest.fixture(scope="module")
def calls(gain):
    return whole_life(gain)


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
    found = {each.check: each for each in check("scale-shift", SKELETONS).checks}
    assert found["interface"].state is State.PASS
    assert found["capabilities"].message.startswith("createPlugin() returned null for scale = 2.0")
    assert {each.blocked_by for each in found.values()} == {None, "capabilities"}


# The worked example


@needs_plugins
def test_the_plugin_of_the_worked_example_is_right(gain):
    report = conform(gain.library, gain.spec)
    assert report.level == "L1" and not [each.message for each in report.failed]


@needs_plugins
def test_a_whole_life_has_two_contexts_in_a_process_of_their_own(calls):
    ends = [(each.process, each.object) for each in calls if each.method == "~IPluginV3"]
    running = [(2, "context 1"), (2, "context 2"), (2, "runtime plugin 1")]
    assert ends == [(1, "context 1"), (1, "clone 1"), (1, "plugin 1"), *running]
    assert {each.object for each in calls if each.method == "enqueue"} == {"context 1", "context 2"}


@needs_plugins
def test_a_default_copy_of_a_device_pointer_goes_unnoticed_in_one_life(gain):
    """What the chapter says of it; the rule that notices is run in the notebook."""
    text = gain.files["channel_gain.cpp"]
    start = text.index("ChannelGain(ChannelGain const& other)")
    copies = text[start : text.index("ChannelGain& operator=")].rstrip()
    whole_life(gain.changed(copies, "ChannelGain(ChannelGain const&) = default;"))


# What is said about the order


@needs_plugins
def test_the_recorded_life_keeps_what_is_documented_and_a_guess_is_told_what_is_not(calls):
    recorded = order.recorded_order(calls)
    assert set(recorded) == set(order.METHODS)
    assert order.Guess("\n".join(recorded)).broken() == []
    told = pictures.compare("\n".join(sorted(order.METHODS)), calls).alt
    assert "createPlugin(kBUILD) before clone" in told and "configurePlugin before getValidTactics" not in told


def test_a_guess_keeps_its_lines_in_order():
    lines = list(reversed(order.METHODS))
    assert len(order.Guess("\n\n".join(lines)).broken()) == len(order.DOCUMENTED)
    with pytest.raises(ValueError, match="'initialize' is none"):
        order.Guess("\n".join([*lines, "initialize"]))
    with pytest.raises(ValueError, match="enqueue must be there once"):
        order.Guess("\n".join(lines[1:]))


def test_what_is_open_is_not_documented():
    pairs = {(each.first, each.then) for each in order.DOCUMENTED}
    assert not pairs & {("setTactic", "onShapeChange"), ("onShapeChange", "setTactic")}
    assert not [each for each in order.DOCUMENTED if "clone" in each.then and "clone" in each.first]


def test_the_pictures_say_what_they_show():
    assert "you destroy it" in pictures.owners().alt and "freed twice" in pictures.copies().alt
