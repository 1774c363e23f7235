"""The notebooks run from top to bottom: every worked example and, with the solutions, every check."""

import shutil

import nbformat
import pytest
from nbclient import NotebookClient

from grader.authoring.clone import HERE, Clone

MASTERS = sorted(path.stem for path in (HERE / "authoring").glob("[0-9]*_*.md"))


def errors_of(notebook, folder, trees):
    """Run a notebook in a folder made of `trees`; returns the name of each error, by cell id.

    The error of a cell tagged raises-exception is kept as its output; any other ends the run.
    """
    for tree in trees:
        if tree.is_dir():
            shutil.copytree(tree, folder, dirs_exist_ok=True)
    content = nbformat.read(notebook, as_version=4)
    NotebookClient(
        content, timeout=240, kernel_name="python3", resources={"metadata": {"path": folder}}
    ).execute()
    assert all(cell.execution_count for cell in content.cells if cell.cell_type == "code")
    outputs = [(cell.id, output) for cell in content.cells for output in cell.get("outputs", [])]
    return {name: output.ename for name, output in outputs if output.output_type == "error"}


@pytest.mark.parametrize("name", MASTERS)
def test_the_solved_notebook_runs_and_passes(name, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_DEVICE", "simulated")
    trees = [HERE / "plugin_skeletons" / name, HERE / "solutions" / name]
    assert errors_of(Clone().solved_notebook(name), tmp_path / name, trees) == {}


@pytest.mark.parametrize("name", MASTERS[:1])
def test_a_fresh_learner_notebook_runs_and_every_check_says_not_passed(name, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_DEVICE", "simulated")
    trees = [HERE / "plugin_skeletons" / name, HERE / "course" / name]
    errors = errors_of(Clone().learner_notebook(name), tmp_path / name, trees)
    slugs = {exercise.slug for exercise in Clone().chapter(name).exercises}
    assert errors == dict.fromkeys(slugs, "NotPassed")
