"""Chapter 9: the plans, the plugin of the worked example, the table that groups points, the drawn records."""

from pathlib import Path

import numpy as np
import pytest

from grader import course
from grader.checks.conformance.run import conform
from grader.exercises import check
from grader.exercises.ch09_data_dependent_shapes import group_points, grouping, pictures, size_tensor_test
from grader.exercises.runner import plan_of
from grader.notebook.plugin import Draft
from grader.toolchain import lane
from grader.verdict import State

ROOT = Path(__file__).parents[2]
NAME = "09_data_dependent_shapes"
SKELETONS, SOLUTIONS = ROOT / "plugin_skeletons" / NAME, ROOT / "solutions" / NAME
SLUGS = [each.slug for each in course.chapter("data-dependent-shapes", course.Tree(ROOT)).exercises]
needs_plugins = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)
MAKERS = ("_right", "_types", "_ranks", "_places", "_usual", "_bounds", "_resets", "_written", "_contexts", "_host",
          "_together")  # fmt: skip


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
    found = {each.check: each for each in check("voxel-feature-encoder", SKELETONS).checks}
    assert found["interface"].state is State.PASS
    assert "getOutputDataTypes() returns -1" in found["output-types"].message


# The worked example


@pytest.fixture(scope="module")
def keep():
    return Draft({path.name: path.read_text() for path in SKELETONS.glob("keep_positive*")})


@needs_plugins
def test_the_plugin_of_the_worked_example_is_right(keep):
    report = conform(keep.library, keep.spec)
    assert report.level == "L1" and not [each.message for each in report.failed]


@needs_plugins
def test_a_look_at_the_count_costs_no_result(keep):
    """What the chapter says of it; the other two mistakes are run in the notebook."""
    last = "        return static_cast<int32_t>(status);\n"
    curious = keep.changed(last, "        cudaStreamSynchronize(stream);\n" + last)
    report = conform(curious.library, curious.spec, only=["values", "no-synchronization"])
    assert [each.check for each in report.failed] == ["no-synchronization"]


# Grouping


CELLS, HOMES = (41, 7, 41, 12, 7, 41, 90, 12), {41: 3, 12: 3, 7: 7, 90: 7}


def test_a_table_grows_as_the_chapter_draws_it():
    frames = grouping.step_by_step(CELLS, HOMES, 8)
    assert frames[-1].slots == ((90, 3), None, None, (41, 0), (12, 2), None, None, (7, 1))
    assert [frame.at for frame in frames] == [3, 7, 3, 4, 7, 3, 0, 4]
    assert "7 taken, takes slot 0, row 3" in frames[6].words
    with pytest.raises(ValueError, match="too small"):
        grouping.step_by_step((1, 2, 3), {1: 0, 2: 0, 3: 0}, 2)


def test_the_pictures_say_what_they_show():
    assert "the count, holds" in pictures.overview().alt
    assert "point 6, cell 90: 7 taken, takes slot 0" in pictures.table(CELLS, HOMES).alt


def test_tables_that_answers_are_tried_on_are_right():
    rng = np.random.default_rng(3)
    for capacity, cells in ((64, rng.permutation(64)), (8, np.array([5, 5, 9, -1, 5])), (64, np.array([], int))):
        cells = cells.astype(np.int32)
        table = group_points.Table.of(cells, capacity, rng)
        assert group_points.rows_in_use(cells, table) is None
    table.slots[3] = 77
    assert "no point has that cell" in group_points.one_slot_each(cells, table)


def test_cells_with_one_home_have_it():
    cells = group_points.with_home(300, 1024, 64, np.random.default_rng(5))
    assert len(np.unique(cells)) == 64 and set(group_points.home(cells, 1024)) == {300}


# Records


@pytest.mark.parametrize("maker", MAKERS)
def test_drawn_records_have_the_problems_that_are_said(maker):
    space = {}
    exec((SOLUTIONS / "size_tensor_test.py").read_text(), space)
    for seed in range(40):
        for name, record, wanted in getattr(size_tensor_test, maker)(np.random.default_rng(seed)):
            assert space["problems"](record) == sorted(wanted), (seed, name)
            assert {run["points"] for run in record["runs"]} <= {each["points"] for each in record["declared"]}
