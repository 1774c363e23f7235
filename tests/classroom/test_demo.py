"""The demo on the toy course: it fails when the grades are not what they must be."""

import json

import classroom_toy as toy
import pytest
from rich.console import Console

from grader.classroom import demo, material


@pytest.fixture
def console():
    return Console(record=True, width=160)


def answers(right="right", wrong="half"):
    def files(cu, book):
        return {"toy.cu": cu.encode(), f"{toy.NAME}.ipynb": json.dumps(book).encode()}

    return {
        "right": files(right, toy.answered()),
        "wrong": files(wrong, toy.answered()),
        "unfinished": files(toy.SKELETON, toy.notebook()),
    }


def test_the_demo_shows_grades_and_feedback(toy_course, tmp_path, console):
    assert demo.run(console, material.chapter(10), answers(), tmp_path)
    text = console.export_text()
    assert "10 passed" in text and "6 not passed" in text and "0 not passed" in text
    for student in ("right", "wrong", "unfinished"):
        page = tmp_path / "class" / "feedback" / student / toy.NAME / f"{toy.NAME}.html"
        assert str(page) in text and page.is_file()
    assert (tmp_path / "class" / "grades.csv").is_file()


@pytest.mark.parametrize(("right", "wrong"), [("half", "half"), ("right", "right"), ("boom", "half"), ("all-elsewhere", "x")])
def test_the_demo_fails_on_grades_that_cannot_be(toy_course, tmp_path, console, right, wrong):
    assert not demo.run(console, material.chapter(10), answers(right, wrong), tmp_path)


def test_bundled_answers(toy_course, monkeypatch, tmp_path):
    import shutil

    shutil.copytree(toy_course, tmp_path / "clone")
    toy.patch(tmp_path / "clone", monkeypatch.setattr)
    patch = tmp_path / "clone" / "tests" / "variants" / "toy-kernel" / "wrong.patch"
    line = "// the right kernel of the toy chapter, which nobody may see"
    patch.write_text(
        "# title: a wrong way\n# misconception: mask-multiply\n# owner: values-check\n"
        f"--- a/toy.cu\n+++ b/toy.cu\n@@ -1 +1 @@\n-{line}\n+// half\n"
    )
    found = demo.bundled(material.chapter(10))
    assert found["right"]["toy.cu"].decode() == line + "\n"
    assert found["wrong"]["toy.cu"] == b"// half\n"
    assert found["unfinished"]["toy.cu"].decode() == toy.SKELETON
    assert set(found["right"]) == {"toy.cu", "supplied.h", f"{toy.NAME}.ipynb"}
