"""The notebooks run from top to bottom: every worked example and, with the solutions, every check."""

import datetime
import random
import sys
from pathlib import Path

import pytest

from grader.authoring.clone import HERE, Clone

sys.path.append(str(Path(__file__).parent))
import run_notebooks as notebooks  # noqa: E402

KEPT = notebooks.kept()
CHANGED = [name for name in notebooks.MASTERS if KEPT.get(name) != notebooks.key(name)]
SAME = [name for name in notebooks.MASTERS if name not in CHANGED]
DRAWN = random.Random(datetime.date.today().toordinal()).sample(SAME, min(1, len(SAME)))  # another every day


@pytest.mark.parametrize("name", CHANGED + DRAWN)
def test_the_solved_notebook_runs_and_passes(name, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_DEVICE", "simulated")
    assert notebooks.solved(name, tmp_path / name) == {}


@pytest.mark.parametrize("name", notebooks.MASTERS[:1])
def test_a_fresh_learner_notebook_runs_and_every_check_says_not_passed(name, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_DEVICE", "simulated")
    trees = [HERE / "plugin_skeletons" / name, HERE / "course" / name]
    errors = notebooks.errors_of(Clone().learner_notebook(name), tmp_path / name, trees)
    slugs = {exercise.slug for exercise in Clone().chapter(name).exercises}
    assert errors == dict.fromkeys(slugs, "NotPassed")
