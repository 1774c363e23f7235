"""Careless and hostile submissions, as far as their structure goes: none stops grading, and scores are
honest."""

import json
import os
import shutil

import classroom_toy as toy
import pytest

FULL = {"toy-kernel": (10, False), "toy-cell": (10, False), "toy-explain": (None, True)}
NO_NOTEBOOK = {"toy-kernel": (10, False), "toy-cell": (0, True), "toy-explain": (0, True)}
UNREADABLE = {"toy-kernel": (10, False), "toy-cell": (0, True), "toy-explain": (None, True)}
STUB = {"toy-kernel": (0, False), "toy-cell": (0, False), "toy-explain": (0, False)}


def changed(**edit):
    """The answered notebook after `edit`: cell name -> function of the cell, which returns the cells in its
    place."""
    book = toy.answered()
    cells = []
    for cell in book["cells"]:
        cells += edit.get(cell["id"].replace("-", "_"), lambda c: [c])(cell)
    return book | {"cells": cells}


def marks(cell, **values):
    nbgrader = cell["metadata"]["nbgrader"] | values
    return cell | {"metadata": {"nbgrader": {k: v for k, v in nbgrader.items() if v is not None}}}


def old_format(book):
    cells = []
    for cell in book["cells"]:
        source = cell.pop("source")
        cells.append(cell | ({"input": source} if cell["cell_type"] == "code" else {"source": source}))
    return {"worksheets": [{"cells": cells}], "metadata": {}, "nbformat": 3, "nbformat_minor": 0}


def nested(depth):
    return b'{"cells":' * depth + b"1" + b"}" * depth


def with_output(book):
    book["cells"][2]["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "10"}, "metadata": {}}]
    book["cells"][2]["metadata"]["nbgrader"]["points"] = 200
    return book


BROKEN = {
    "check cells deleted": (changed(toy_kernel=lambda c: [], toy_cell=lambda c: []), FULL, []),
    "check cells edited": (changed(toy_kernel=lambda c: [c | {"source": "print('passed')"}]), FULL, []),
    "check cell copied": (changed(toy_kernel=lambda c: [c, c]), FULL, []),
    "check cell is now an answer": (
        changed(toy_kernel=lambda c: [marks(c, solution=True, grade=False)]),
        FULL,
        [],
    ),
    "points are 200": (changed(toy_kernel=lambda c: [marks(c, points=200)]), FULL, []),
    "points are words": (changed(toy_kernel=lambda c: [marks(c, points="lots")]), FULL, []),
    "schema is of the future": (changed(toy_kernel=lambda c: [marks(c, schema_version=99)]), FULL, []),
    "a raw check cell": (changed(toy_kernel=lambda c: [c | {"cell_type": "raw"}]), FULL, []),
    "submitted outputs": (with_output(toy.notebook()), STUB | {"toy-kernel": (10, False)}, []),
    "answer copied, the first changed": (
        changed(toy_cell_answer=lambda c: [c, c | {"source": "def answer():\n    return 'boom'"}]),
        FULL,
        ["duplicate"],
    ),
    "answer copied, the second changed": (
        changed(toy_cell_answer=lambda c: [c | {"source": toy.STARTER}, c]),
        FULL,
        ["duplicate"],
    ),
    "answer deleted": (changed(toy_cell_answer=lambda c: []), FULL | {"toy-cell": (0, True)}, ["missing"]),
    "answer is Markdown": (
        changed(toy_cell_answer=lambda c: [c | {"cell_type": "markdown"}]),
        FULL,
        ["changed"],
    ),
    "answer lost its grade id": (
        changed(toy_cell_answer=lambda c: [marks(c, grade_id=None)]),
        FULL,
        ["changed"],
    ),
    "answer lost all ids": (
        changed(toy_cell_answer=lambda c: [c | {"metadata": {}, "id": "x"}]),
        FULL | {"toy-cell": (0, True)},
        ["missing"],
    ),
    "answer is a list of lines": (
        changed(toy_cell_answer=lambda c: [c | {"source": c["source"].splitlines(keepends=True)}]),
        FULL,
        [],
    ),
    "answer is a number": (
        changed(toy_cell_answer=lambda c: [c | {"source": 7}]),
        FULL | {"toy-cell": (0, False)},
        [],
    ),
    "a lone surrogate": (changed(toy_explain=lambda c: [c | {"source": "I think \ud800."}]), FULL, []),
    "metadata is a list": (changed(intro=lambda c: [c | {"metadata": []}]), FULL, []),
    "cells that are none": (changed(intro=lambda c: [None, 7, "x", []]), FULL, []),
    "format 3": (old_format(toy.answered()), FULL, []),
    "format 5": (toy.answered() | {"nbformat": 5}, FULL, []),
    "byte order mark": (b"\xef\xbb\xbf" + json.dumps(toy.answered()).encode(), FULL, []),
    "UTF-16": (json.dumps(toy.answered()).encode("utf-16"), FULL, []),
    "Latin-1": (json.dumps(toy.answered(words="n\xe4mlich"), ensure_ascii=False).encode("latin-1"), FULL, []),
    "no notebook": (False, NO_NOTEBOOK, ["missing"]),
    "empty": (b"", UNREADABLE, ["unreadable"]),
    "no JSON": (b'{"cells": [', UNREADABLE, ["unreadable"]),
    "a list": (b"[]", UNREADABLE, ["unreadable"]),
    "no cells": (b"{}", UNREADABLE, ["unreadable"]),
    "nested without end": (nested(200_000), UNREADABLE, ["unreadable"]),
    "a number of 10,000 digits": (b'{"cells": ' + b"9" * 10_000 + b"}", UNREADABLE, ["unreadable"]),
    "binary": (bytes(range(256)) * 40, UNREADABLE, ["unreadable"]),
}


@pytest.fixture(scope="module")
def all_graded(released, toy_root, tmp_path_factory):
    """Every broken notebook is one student of one class, between two sound ones, graded in one run."""
    from grader.classroom.tree import ClassTree

    with pytest.MonkeyPatch.context() as patch:
        toy.patch(toy_root, patch.setattr)
        root = tmp_path_factory.mktemp("broken") / "class"
        shutil.copytree(released, root)
        classroom = toy.Classroom(ClassTree(root))
        classroom.hand_in("a first, sound one")
        classroom.hand_in("zz last, sound one")
        for name, (book, _, _) in BROKEN.items():
            classroom.hand_in(name, book=book)
        yield classroom, classroom.grade()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_notebook(all_graded, name):
    classroom, graded = all_graded
    _, scores, notes = BROKEN[name]
    assert graded[name].problem == ""
    assert classroom.scores(name) == scores
    kinds = [note.kind for note in graded[name].result.notes]
    assert kinds == notes


def test_sound_submissions_beside_broken_ones(all_graded):
    classroom, _ = all_graded
    assert classroom.scores("a first, sound one") == classroom.scores("zz last, sound one") == FULL


@pytest.mark.parametrize(("book", "flag"), [(b"{", "unreadable"), (False, "missing")])
def test_the_released_text_earns_nothing_where_an_answer_is_unreadable_or_missing(
    classroom, monkeypatch, tmp_path, book, flag
):
    """A skeleton may pass checks of form: it must not do so for a student who handed in nothing."""
    import csv

    from rich.console import Console

    from grader.classroom import material
    from grader.classroom.report import print_grades
    from grader.classroom.session import Session

    judged = []
    monkeypatch.setattr(material, "check", lambda e, d, **more: judged.append(e.slug) or toy.check(e, d, **more))
    monkeypatch.setattr(toy, "STARTER", "right")  # what the fake runner gives all points
    classroom.hand_in("ada", book=book)
    graded = classroom.grade()
    assert judged == ["toy-kernel"]
    assert classroom.scores("ada")["toy-cell"] == (0, True)
    console = Console(record=True, width=120)
    chapter, session = material.chapter(10), Session(classroom.tree)
    print_grades(console, chapter, list(graded.values()), session.booked(chapter))
    assert console.export_text().count(flag) == 2  # the cell and the answer in words
    session.export(tmp_path / "g.csv")
    (row,) = csv.DictReader((tmp_path / "g.csv").open(newline=""))
    assert row["flags"] == f"toy-cell: {flag}; toy-explain: {flag}"
    assert row["toy-cell"] == "0.0" and row["pending"] == "13.0"


def test_nothing_of_the_submitted_notebook_but_answers_is_kept(classroom):
    book = with_output(toy.answered())
    book["cells"].append(
        {
            "cell_type": "code",
            "id": "mine",
            "metadata": {},
            "source": "import os",
            "outputs": [],
            "execution_count": 1,
        }
    )
    book["metadata"]["evil"] = 1
    classroom.hand_in("eve", cu="wrong", book=book)
    classroom.grade()
    assert classroom.scores("eve")["toy-kernel"] == (0, False)
    kept = classroom.autograded("eve")
    kept_ids = [cell["id"] for cell in kept["cells"]]
    assert kept_ids.pop(kept_ids.index("toy-explain") - 1) == "grader-rubric"
    assert kept_ids == [cell["id"] for cell in toy.notebook()["cells"]]
    assert "evil" not in kept["metadata"]
    assert kept["cells"][2]["metadata"]["nbgrader"]["points"] == 10
    (output,) = kept["cells"][2]["outputs"]
    assert "0 of 10 points" in "".join(output["data"]["text/plain"])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("toy (1).cu", "renamed"),
        ("toy-Copy1.cu", "renamed"),
        ("toy - Copy.cu", "renamed"),
        ("toy-1.cu", "renamed"),
        ("Toy.CU", "renamed"),
        ("toy.cu.txt", "renamed"),
        ("other.cu", "missing"),
        ("xtoy.cu", "missing"),
    ],
)
def test_a_file_under_another_name(classroom, name, kind):
    classroom.hand_in("ada", cu=None, **{name: b"right"})
    result = classroom.grade()["ada"].result
    assert [note.kind for note in result.notes] == ([kind] if kind == "renamed" else [kind, "other"])
    assert classroom.scores("ada")["toy-kernel"] == ((10, False) if kind == "renamed" else (0, True))


def test_the_wanted_name_wins_over_a_copy(classroom):
    classroom.hand_in("ada", cu="right", **{"toy (1).cu": b"wrong"})
    assert classroom.grade()["ada"].result.notes == ()
    assert classroom.scores("ada") == FULL


@pytest.mark.parametrize("name", ["10_toy (1).ipynb", "10_TOY.ipynb", "homework.ipynb"])
def test_a_renamed_notebook(classroom, name):
    classroom.hand_in("ada", book=False, **{name: json.dumps(toy.answered()).encode()})
    assert [note.kind for note in classroom.grade()["ada"].result.notes] == ["renamed"]
    assert classroom.scores("ada") == FULL


def test_everything_in_a_folder_of_its_own(classroom):
    folder = classroom.hand_in("ada", cu=None, book=False)
    (folder / "my work").mkdir()
    (folder / "my work" / "toy.cu").write_text("right")
    (folder / "my work" / f"{toy.NAME}.ipynb").write_text(json.dumps(toy.answered()))
    assert [note.kind for note in classroom.grade()["ada"].result.notes] == ["renamed", "renamed"]
    assert classroom.scores("ada") == FULL


def test_links_are_not_followed(classroom, tmp_path):
    outside = tmp_path / "private.cu"
    outside.write_text("right: the private text of another student")
    folder = classroom.hand_in("eve", cu=None, book=False)
    (folder / "toy.cu").symlink_to(outside)
    (folder / f"{toy.NAME}.ipynb").symlink_to(classroom.tree.database)
    (folder / "sub").symlink_to(tmp_path)
    (folder / "timestamp.txt").symlink_to(classroom.tree.secret)
    result = classroom.grade()["eve"].result
    assert {note.kind for note in result.notes} >= {"refused"}
    assert classroom.scores("eve") == {
        "toy-kernel": (0, True),
        "toy-cell": (0, True),
        "toy-explain": (None, True),
    }
    kept = list(classroom.tree.autograded("eve", toy.NAME).iterdir())
    assert [path.name for path in kept] == [f"{toy.NAME}.ipynb"]
    assert "private text" not in kept[0].read_text()


def test_a_pipe_does_not_hang_and_a_folder_is_no_file(classroom):
    folder = classroom.hand_in("eve", cu=None, book=False)
    os.mkfifo(folder / "toy.cu")
    (folder / f"{toy.NAME}.ipynb").mkdir()
    result = classroom.grade()["eve"].result
    assert [note.kind for note in result.notes] == ["refused", "missing"]


def test_a_huge_file_is_not_read(classroom):
    folder = classroom.hand_in("eve")
    with (folder / "toy.cu").open("wb") as file:
        file.truncate(1 << 40)  # sparse: no disk is used
    result = classroom.grade()["eve"].result
    assert [note.kind for note in result.notes] == ["unreadable"]
    assert classroom.scores("eve")["toy-kernel"] == (0, True)


def test_a_link_in_place_of_a_submission_is_no_submission(classroom):
    classroom.hand_in("ada")
    (classroom.tree.root / "submitted" / "eve").symlink_to(classroom.tree.root / "submitted" / "ada")
    (classroom.tree.root / "submitted" / "bob").mkdir()
    (classroom.tree.submitted("bob", toy.NAME)).symlink_to(classroom.tree.source(toy.NAME))
    graded = classroom.grade()
    assert {name: g.result is not None for name, g in graded.items()} == {"ada": True, "bob": False, "eve": False}
    assert "a link stands in place" in graded["eve"].problem and "a link" in graded["bob"].problem


def test_a_name_with_a_line_break_stops_nobody_else(classroom):
    classroom.hand_in("a\nb")
    classroom.hand_in("z")
    graded = classroom.grade()
    assert "cannot be printed" in graded["a\nb"].problem and graded["z"].result


@pytest.mark.parametrize("student", ["<script>alert(1)</script>", "a'; DROP TABLE grade; --", "=1+1", "x" * 255])
def test_strange_names_of_students(classroom, student):
    student = student.replace("/", "")
    classroom.hand_in("a")
    classroom.hand_in(student)
    assert not classroom.grade()[student].problem
    assert classroom.scores(student) == FULL
    assert "<script" not in classroom.feedback(student)


def test_a_name_that_nbgrader_takes_for_a_pattern_is_told(classroom):
    classroom.hand_in("a")
    classroom.hand_in("[ab]*")
    graded = classroom.grade()
    assert "rename the folder" in graded["[ab]*"].problem
    assert classroom.scores("a") == FULL


def test_a_name_that_is_no_text_stops_nobody(classroom):
    classroom.hand_in("ada")
    classroom.hand_in(os.fsdecode(b"\xff\xfe"))
    graded = classroom.grade()
    assert classroom.scores("ada") == FULL
    assert len(graded) == 2


def test_submitted_markdown_and_html_is_harmless(classroom):
    words = "\n".join(
        [
            "<script>alert(1)</script> <img src=x onerror=alert(2)> ![x](http://example.org/t.png) a < b",
            r"$\href{javascript:alert(3)}{x}$ `template<typename T>`",
            "[x](javascript:alert(4)) [y][z] [z] <javascript:alert(7)>",
            "",
            "[z]: &#106;avascript:alert(6)",
        ]
    )
    classroom.hand_in("eve", cu="</pre><script>alert(5)</script>", book=toy.answered(words=words))
    classroom.grade()
    import nbformat
    from nbconvert import HTMLExporter

    book = nbformat.reads(json.dumps(classroom.autograded("eve")), as_version=4)
    html, _ = HTMLExporter(template_name="basic").from_notebook_node(book)
    assert "alert(1)" in html and "alert(5)" in html  # shown, as text
    assert 'class="mathjax_ignore tex2jax_ignore answer"' in html  # so no formula is looked for
    for harmful in ("<script>alert", "<img src=x", 'src="http', 'href="java', 'href="&#'):
        assert harmful not in html
    page = classroom.feedback("eve")
    for harmful in ("<script", "<img", "<a "):
        assert harmful not in page
    assert "template&lt;typename T&gt;" in page
