"""Start and reset."""

import json
import platform

import pytest

from grader import course
from grader.workspace import Workspace, WorkspaceError, containing, locate, notebooks, reset, start, update


def test_start_puts_notebook_and_skeletons_side_by_side(tree, warm_up, workspace):
    report = start(warm_up, workspace, tree)
    assert report.kinds() == {"00_warm_up.ipynb": "created", "index.cu": "created"}
    folder = workspace.chapter(warm_up)
    assert sorted(p.name for p in folder.iterdir()) == ["00_warm_up.ipynb", "index.cu"]
    for name in ("00_warm_up.ipynb", "index.cu"):
        assert (workspace.pristine(warm_up) / name).read_bytes() == (folder / name).read_bytes()


def test_start_never_touches_what_is_there(tree, warm_up, workspace):
    mine = workspace.chapter(warm_up) / "index.cu"
    mine.parent.mkdir(parents=True)
    mine.write_text("my work\n")
    assert start(warm_up, workspace, tree).kinds()["index.cu"] == "kept"
    assert mine.read_text() == "my work\n"


def test_start_brings_a_lost_file_back_and_tells_of_newer_ones(tree, warm_up, workspace):
    start(warm_up, workspace, tree)
    (workspace.chapter(warm_up) / "index.cu").unlink()
    report = start(warm_up, workspace, tree)
    assert report.kinds()["index.cu"] == "created" and not report.notes
    (tree.skeletons(warm_up) / "index.cu").write_text("// newer\n")
    assert "grader update" in start(warm_up, workspace, tree).notes[0]


def test_hidden_and_cached_files_stay_behind(tree, warm_up, workspace):
    for name in ("__pycache__/x.pyc", ".ipynb_checkpoints/a.ipynb", ".hidden", "data/table.csv"):
        path = tree.skeletons(warm_up) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    start(warm_up, workspace, tree)
    names = {
        p.relative_to(workspace.chapter(warm_up)).as_posix() for p in workspace.chapter(warm_up).rglob("*")
    }
    assert names == {"00_warm_up.ipynb", "index.cu", "data", "data/table.csv"}


def test_reset_of_an_exercise_saves_first(tree, warm_up, workspace, kernel):
    start(warm_up, workspace, tree)
    mine = workspace.chapter(warm_up) / "index.cu"
    mine.write_text("my work\n")
    notebook = workspace.chapter(warm_up) / "00_warm_up.ipynb"
    notebook.write_text("edited")
    report = reset(warm_up.exercises[0], warm_up, workspace, tree)
    assert mine.read_text() == kernel
    assert notebook.read_text() == "edited"  # not this exercise's
    [saved] = [change.path for change in report.changes if change.kind == "saved"]
    assert saved.read_text() == "my work\n"
    assert saved.is_relative_to(workspace.saved)


def test_two_resets_in_one_second_save_twice(tree, warm_up, workspace):
    start(warm_up, workspace, tree)
    mine = workspace.chapter(warm_up) / "index.cu"
    saved = []
    for text in ("first\n", "second\n"):
        mine.write_text(text)
        saved += [c.path for c in reset(warm_up, warm_up, workspace, tree).changes if c.kind == "saved"]
    assert [path.read_text() for path in saved] == ["first\n", "second\n"]


def test_reset_of_an_untouched_chapter_saves_nothing(tree, warm_up, workspace):
    start(warm_up, workspace, tree)
    assert set(reset(warm_up, warm_up, workspace, tree).kinds().values()) == {"kept"}
    assert not workspace.saved.exists()


def test_reset_of_a_python_exercise_touches_its_cell_alone(tree, warm_up, workspace, nb):
    start(warm_up, workspace, tree)
    notebook = workspace.chapter(warm_up) / "00_warm_up.ipynb"
    cells = nb.plain()
    cells[1]["source"], cells[2]["source"] = "x = 2", "my answer"
    notebook.write_bytes(nb.bytes(*cells))
    report = reset(warm_up.exercises[1], warm_up, workspace, tree)
    now = [c["source"] for c in json.loads(notebook.read_bytes())["cells"]]
    assert now == ["# Warm-up", "x = 2", "# your answer", "The end."]
    assert b"my answer" in next(c.path for c in report.changes if c.kind == "saved").read_bytes()


def test_reset_of_a_python_exercise_in_a_broken_notebook(tree, warm_up, workspace, nb):
    start(warm_up, workspace, tree)
    notebook = workspace.chapter(warm_up) / "00_warm_up.ipynb"
    notebook.write_text("{ not json")
    with pytest.raises(WorkspaceError, match="grader reset 0"):
        reset(warm_up.exercises[1], warm_up, workspace, tree)
    notebook.write_bytes(nb.bytes(nb.cell("intro", "# only this")))
    with pytest.raises(WorkspaceError, match="no longer has the answer cell"):
        reset(warm_up.exercises[1], warm_up, workspace, tree)


def test_reset_before_start_says_so(tree, warm_up, workspace):
    with pytest.raises(WorkspaceError, match="grader start 0"):
        reset(warm_up, warm_up, workspace, tree)


def test_where_the_workspace_is(tree, warm_up, tmp_path):
    workspace = locate(tree, tmp_path)
    assert workspace == Workspace(tree.root / "my")
    start(warm_up, workspace, tree)
    inside = workspace.chapter(warm_up)
    assert locate(tree, inside) == containing(inside) == workspace
    assert containing(tmp_path) is None
    packaged = course.Tree(tmp_path / "site-packages" / "grader" / "_course")
    assert locate(packaged, tree.root) == workspace  # a class release: my/ beside its Makefile
    assert locate(packaged, tmp_path) == Workspace(tmp_path / "my")


def test_a_notebook_comes_in_as_jupyterlab_would_save_it(tree, warm_up, workspace, nb):
    start(warm_up, workspace, tree)
    mine = workspace.chapter(warm_up) / "00_warm_up.ipynb"
    language = json.loads(mine.read_bytes())["metadata"]["language_info"]
    assert language["version"] == platform.python_version() and language["pygments_lexer"] == "ipython3"
    assert mine.read_bytes() == (workspace.pristine(warm_up) / mine.name).read_bytes()
    assert set(update(warm_up, workspace, tree).kinds().values()) == {"kept"}


def test_another_python_makes_no_newer_notebook(tree, warm_up, workspace, monkeypatch):
    start(warm_up, workspace, tree)
    mine = workspace.chapter(warm_up) / "00_warm_up.ipynb"
    mine.write_bytes(mine.read_bytes().replace(b"# your answer", b"mine = 1"))
    edited = mine.read_bytes()
    monkeypatch.setattr(notebooks, "LANGUAGE", notebooks.LANGUAGE | {"version": "3.99.0"})
    assert start(warm_up, workspace, tree).notes == []
    assert set(update(warm_up, workspace, tree).kinds().values()) == {"kept"}
    assert mine.read_bytes() == edited
    reset(warm_up, warm_up, workspace, tree)
    assert json.loads(mine.read_bytes())["metadata"]["language_info"]["version"] == "3.99.0"


def test_an_untouched_notebook_of_a_class_release_is_settled_too(tree, warm_up, workspace):
    mine = workspace.chapter(warm_up) / "00_warm_up.ipynb"
    mine.parent.mkdir(parents=True)
    mine.write_bytes(tree.notebook(warm_up).read_bytes())
    start(warm_up, workspace, tree)
    assert json.loads(mine.read_bytes())["metadata"]["language_info"] == notebooks.LANGUAGE
    assert mine.read_bytes() == (workspace.pristine(warm_up) / mine.name).read_bytes()
