"""Newer course files come in; what the learner wrote is never lost."""

import json

import pytest

from grader.workspace import WorkspaceError, start, update, updating


@pytest.fixture
def started(tree, warm_up, workspace):
    start(warm_up, workspace, tree)
    return workspace.chapter(warm_up)


def sources(path):
    return [cell["source"] for cell in json.loads(path.read_bytes())["cells"]]


def test_nothing_new(tree, warm_up, workspace, started):
    (started / "index.cu").write_text("my work\n")
    assert set(update(warm_up, workspace, tree).kinds().values()) == {"kept"}
    assert (started / "index.cu").read_text() == "my work\n"


def test_an_unchanged_file_is_replaced(tree, warm_up, workspace, started):
    (tree.skeletons(warm_up) / "index.cu").write_text("// newer\n")
    assert update(warm_up, workspace, tree).kinds()["index.cu"] == "replaced"
    assert (started / "index.cu").read_text() == "// newer\n"
    assert update(warm_up, workspace, tree).kinds()["index.cu"] == "kept"


def test_both_changed_in_different_places(tree, warm_up, workspace, started, kernel):
    mine = kernel.replace("// your code", "x[threadIdx.x] = 1;")
    (started / "index.cu").write_text(mine)
    (tree.skeletons(warm_up) / "index.cu").write_text(kernel.replace("// end", "// the end"))
    report = update(warm_up, workspace, tree)
    assert report.kinds()["index.cu"] == "merged"
    text = (started / "index.cu").read_text()
    assert "x[threadIdx.x] = 1;" in text and "// the end" in text
    [saved] = workspace.saved.rglob("index.cu")
    assert saved.read_text() == mine
    assert str(saved) in next(c.note for c in report.changes if c.kind == "merged")


def test_both_changed_in_one_place(tree, warm_up, workspace, started, kernel):
    mine = kernel.replace("// your code", "mine();")
    new = kernel.replace("// your code", "// put your code here")
    (started / "index.cu").write_text(mine)
    (tree.skeletons(warm_up) / "index.cu").write_text(new)
    report = update(warm_up, workspace, tree)
    assert report.kinds()["index.cu"] == "conflict"
    assert (started / "index.cu").read_text() == mine
    assert (started / "index.cu.new").read_text() == new
    assert "index.cu.new" in next(c.note for c in report.changes if c.kind == "conflict")
    assert update(warm_up, workspace, tree).kinds()["index.cu"] == "kept"  # announced once


def test_bytes_that_are_no_text_are_not_merged(tree, warm_up, workspace, started):
    (started / "index.cu").write_bytes(b"\xff\xfe mine")
    (tree.skeletons(warm_up) / "index.cu").write_text("// newer\n")
    assert update(warm_up, workspace, tree).kinds()["index.cu"] == "conflict"
    assert (started / "index.cu").read_bytes() == b"\xff\xfe mine"


def test_files_that_come_and_go(tree, warm_up, workspace, started):
    (tree.skeletons(warm_up) / "index.cu").unlink()
    (tree.skeletons(warm_up) / "extra.h").write_text("// extra\n")
    (started / "index.cu").write_text("my work\n")
    assert update(warm_up, workspace, tree).kinds() == {
        "00_warm_up.ipynb": "kept", "extra.h": "created", "index.cu": "gone",
    }  # fmt: skip
    assert (started / "index.cu").read_text() == "my work\n"
    assert "index.cu" not in update(warm_up, workspace, tree).kinds()


def test_a_new_file_of_a_name_that_the_learner_has(tree, warm_up, workspace, started):
    (started / "extra.h").write_text("mine\n")
    (tree.skeletons(warm_up) / "extra.h").write_text("theirs\n")
    assert update(warm_up, workspace, tree).kinds()["extra.h"] == "conflict"
    assert (started / "extra.h").read_text() == "mine\n"


def test_a_file_that_the_learner_removed_stays_away(tree, warm_up, workspace, started):
    (started / "index.cu").unlink()
    (tree.skeletons(warm_up) / "index.cu").write_text("// newer\n")
    report = update(warm_up, workspace, tree)
    assert report.kinds()["index.cu"] == "missing"
    assert not (started / "index.cu").exists()


def test_a_notebook_that_was_only_run_is_replaced(tree, warm_up, workspace, started, nb):
    cells = nb.plain()
    cells[1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "1"}]
    cells[1]["execution_count"] = 3
    cells[1]["source"] = ["x = 1"]  # Jupyter may write lists of lines
    (started / "00_warm_up.ipynb").write_bytes(nb.bytes(*cells))
    new = nb.plain()
    new[0]["source"] = "# Warm-up, better"
    tree.notebook(warm_up).write_bytes(nb.bytes(*new))
    assert update(warm_up, workspace, tree).kinds()["00_warm_up.ipynb"] == "replaced"
    assert sources(started / "00_warm_up.ipynb")[0] == "# Warm-up, better"


def test_a_notebook_is_merged_by_cell(tree, warm_up, workspace, started, nb):
    mine = nb.plain()
    mine[1]["source"] = "x = 100  # tried something"
    mine[2]["source"] = "my answer"
    mine.insert(2, nb.cell("mine-1", "my own note", "markdown"))
    mine.insert(0, nb.cell("mine-0", "first of all", "markdown"))
    before = nb.bytes(*mine)
    (started / "00_warm_up.ipynb").write_bytes(before)
    new = nb.plain()
    new[1]["source"] = "x = 2"
    new.insert(1, nb.cell("why", "Why it is so.", "markdown"))
    tree.notebook(warm_up).write_bytes(nb.bytes(*new))
    report = update(warm_up, workspace, tree)
    assert report.kinds()["00_warm_up.ipynb"] == "merged"
    assert sources(started / "00_warm_up.ipynb") == [
        "first of all", "# Warm-up", "Why it is so.", "x = 2", "my own note", "my answer", "The end.",
    ]  # fmt: skip
    [saved] = workspace.saved.rglob("*.ipynb")
    assert saved.read_bytes() == before
    assert any("1 of the course's own cells" in note for note in report.notes)


def test_an_answer_whose_start_is_new_is_kept_and_told(tree, warm_up, workspace, started, nb):
    mine, new = nb.plain(), nb.plain()
    mine[2]["source"] = "my answer"
    new[2]["source"] = "# a better start"
    (started / "00_warm_up.ipynb").write_bytes(nb.bytes(*mine))
    tree.notebook(warm_up).write_bytes(nb.bytes(*new))
    report = update(warm_up, workspace, tree)
    assert sources(started / "00_warm_up.ipynb")[2] == "my answer"
    assert (started / "00_warm_up.ipynb.new").exists()
    assert any("cases-answer" in change.note for change in report.changes)


def test_an_untouched_answer_takes_the_new_start(tree, warm_up, workspace, started, nb):
    mine, new = nb.plain(), nb.plain()
    mine[1]["source"] = "x = 5"
    new[2]["source"] = "# a better start"
    (started / "00_warm_up.ipynb").write_bytes(nb.bytes(*mine))
    tree.notebook(warm_up).write_bytes(nb.bytes(*new))
    update(warm_up, workspace, tree)
    assert sources(started / "00_warm_up.ipynb")[2] == "# a better start"


def test_an_answer_that_the_course_dropped_is_kept_as_a_plain_cell(tree, warm_up, workspace, started, nb):
    mine = nb.plain()
    mine[2]["source"] = "my answer"
    (started / "00_warm_up.ipynb").write_bytes(nb.bytes(*mine))
    new = [c for c in nb.plain() if c["id"] != "answer"]
    tree.notebook(warm_up).write_bytes(nb.bytes(*new))
    update(warm_up, workspace, tree)
    cells = json.loads((started / "00_warm_up.ipynb").read_bytes())["cells"]
    assert [c["source"] for c in cells] == ["# Warm-up", "x = 1", "my answer", "The end."]
    assert "nbgrader" not in cells[2]["metadata"]


@pytest.mark.parametrize("broken", [b"{ not json", b"[]", b'{"cells": [1]}', b"\xff"])
def test_a_broken_notebook_is_left_alone(tree, warm_up, workspace, started, nb, broken):
    (started / "00_warm_up.ipynb").write_bytes(broken)
    new = nb.plain()
    new[0]["source"] = "# newer"
    tree.notebook(warm_up).write_bytes(nb.bytes(*new))
    assert update(warm_up, workspace, tree).kinds()["00_warm_up.ipynb"] == "conflict"
    assert (started / "00_warm_up.ipynb").read_bytes() == broken


def test_an_update_that_was_cut_short_can_be_run_again(
    tree, warm_up, workspace, started, kernel, monkeypatch
):
    (started / "index.cu").write_text(kernel.replace("// your code", "mine();"))
    (tree.skeletons(warm_up) / "index.cu").write_text(kernel.replace("// end", "// the end"))
    real = updating.write_atomically

    def stop_at_base(path, data):
        if "pristine" in path.parts and path.name == "index.cu":
            raise KeyboardInterrupt
        real(path, data)

    monkeypatch.setattr(updating, "write_atomically", stop_at_base)
    with pytest.raises(KeyboardInterrupt):
        update(warm_up, workspace, tree)
    monkeypatch.undo()
    update(warm_up, workspace, tree)
    text = (started / "index.cu").read_text()
    assert text.count("mine();") == 1 and text.count("// the end") == 1


def test_update_before_start_says_so(tree, warm_up, workspace):
    with pytest.raises(WorkspaceError, match="grader start 0"):
        update(warm_up, workspace, tree)
