"""The demo on the toy course: it fails when the grades are not what they must be."""

import json
from dataclasses import replace
from types import SimpleNamespace

import classroom_toy as toy
import pytest
from rich.console import Console

from grader.classroom import demo, material
from grader.verdict import State, Verdict


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
    assert "10 ✓" in text and "6 ✗" in text and "0 ✗" in text and "to grade" in text
    for student in ("right", "wrong", "unfinished"):
        page = tmp_path / "class" / "feedback" / student / toy.NAME / f"{toy.NAME}.html"
        assert str(page) in text and page.is_file()
    assert (tmp_path / "class" / "grades.csv").is_file()


def graded(**points):
    """What autograde returns; `points`: student -> (earned, judged), or None where it was not graded."""

    def result(earned, possible):
        verdict = Verdict(
            exercise="toy-kernel",
            revision=1,
            state=State.FAIL,
            checks=(),
            earned=earned,
            possible=possible,
            pending=0.0,
        )
        return SimpleNamespace(verdicts={"toy-kernel": verdict})

    return [SimpleNamespace(student=student, result=result(*p) if p else None) for student, p in points.items()]


@pytest.mark.parametrize(
    ("right", "wrong", "unfinished", "told"),
    [
        ((10, 10), (6, 10), (0, 10), ""),
        ((6, 6), (3, 6), (0, 6), ""),
        ((9, 10), (6, 10), (0, 10), "the right answer has 9 of 10 points"),
        ((10, 10), (10, 10), (0, 10), "right, wrong and unfinished have 10, 10 and 0 points"),
        ((10, 10), (6, 10), (6, 10), "right, wrong and unfinished have 10, 6 and 6 points"),
        ((0, 0), (0, 0), (0, 0), "nothing could be judged on this machine"),
        ((10, 10), None, (0, 10), "a submission was not graded"),
    ],
)
def test_grades_that_cannot_be_are_told(right, wrong, unfinished, told):
    assert demo.wrong_grades(graded(right=right, wrong=wrong, unfinished=unfinished)) == told


def test_a_fault_of_the_grader_fails_the_demo():
    found = graded(right=(10, 10), wrong=(6, 10), unfinished=(0, 10))
    found[1].result.verdicts["toy-kernel"] = replace(found[1].result.verdicts["toy-kernel"], state=State.GRADER_FAULT)
    assert demo.wrong_grades(found) == "the grader failed on one of them"


def test_the_demo_needs_a_clone(toy_course, monkeypatch, tmp_path, capsys):
    import shutil

    shutil.copytree(toy_course, tmp_path / "clone")
    shutil.rmtree(tmp_path / "clone" / "solutions")
    toy.patch(tmp_path / "clone", monkeypatch.setattr)
    assert demo.main() == 2
    assert "needs a clone" in capsys.readouterr().err


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
    assert set(found["right"]) == {"toy.cu", "supplied.h", "common/given.h", f"{toy.NAME}.ipynb"}
