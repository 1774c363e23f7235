"""lifecycle-defects of chapter 4: four defects that do not hide each other."""

import datetime
import itertools
import random
from pathlib import Path

import numpy as np
import pytest

from grader import course
from grader.exercises.ch04_lifecycle.lifecycle_defects import PLAN
from grader.exercises.plugin_bench import PluginBench
from grader.plugin.spec import load_spec
from grader.proof.patch import read_variant
from grader.toolchain import lane
from grader.verdict import State

ROOT = Path(__file__).parents[2]
VARIANTS, SOLUTIONS = ROOT / "tests/variants", ROOT / "solutions/04_lifecycle"
SKELETON = ROOT / "plugin_skeletons/04_lifecycle/channel_affine.cpp"
SPEC = ROOT / "grader/exercises/ch04_lifecycle/channel_affine.toml"
needs_plugins = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)
DEFECTS = {"copies": "left-copies", "contexts": "left-context", "plan": "left-plan", "rebuilt": "left-rebuilt"}
SUBSETS = [each for number in range(len(DEFECTS) + 1) for each in itertools.combinations(DEFECTS, number)]
DRAWN = random.Random(datetime.date.today().toordinal()).sample(SUBSETS, 2)  # others every day; `make prove`: all 16


def _with(defects) -> dict[str, bytes]:
    files = {"channel_affine.cpp": (SOLUTIONS / "channel_affine.cpp").read_bytes()}
    for group in defects:
        files = read_variant(VARIANTS / "lifecycle-defects" / f"{DEFECTS[group]}.patch").apply(files)
    return files


def _green(files) -> set[str]:
    """The groups of the four defects that are green; what the four wait for is not run."""
    library = PLAN.build(files, course.find("lifecycle-defects", course.Tree(ROOT)))
    assert library.state is State.PASS, library.message
    red = set()
    with PluginBench(library, load_spec(SPEC), [], 120) as bench:
        for each in PLAN.checks:
            if each.group in DEFECTS and each.group not in red:
                finding = bench.guarded(lambda each=each: each.run(bench, np.random.default_rng(7)))
                assert finding.state in (State.PASS, State.FAIL), finding.message
                red |= {each.group} if finding.state is State.FAIL else set()
    return set(DEFECTS) - red


@needs_plugins
@pytest.mark.parametrize("defects", DRAWN, ids="-".join)
def test_each_defect_turns_its_own_group_red_whatever_else_is_wrong(defects):
    assert _green(_with(defects)) == set(DEFECTS) - set(defects)


def test_the_skeleton_is_the_solution_with_its_four_defects():
    assert _with(DEFECTS)["channel_affine.cpp"] == SKELETON.read_bytes()


if __name__ == "__main__":
    for each in SUBSETS:
        assert _green(_with(each)) == set(DEFECTS) - set(each), each
    print(f"lifecycle-defects: all {len(SUBSETS)} sets of defects turn their own groups red, and no other")
