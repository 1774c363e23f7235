"""A student's data can be deleted, and only theirs."""

import classroom_toy as toy
import pytest
from typer.testing import CliRunner

from grader.classroom import forget
from grader.classroom.autograde import only_one
from grader.classroom.commands import app
from grader.classroom.errors import ClassroomError

MARK = b"a-sentence-that-only-zoe-wrote"


def graded(classroom):
    for student in ("zoe", "zoem"):
        words = MARK.decode() if student == "zoe" else "other words"
        classroom.hand_in(student, book=toy.answered(words=words))
    classroom.grade()
    for student in ("zoe", "zoem"):
        classroom.feedback(student)
    (classroom.tree.root / "summary.html").write_text("zoe")
    inbound = classroom.tree.exchange / "tensorrt-plugins" / "inbound"
    for name in ("zoe+10_toy+2030", "zoem+10_toy+2030"):
        (inbound / name).mkdir(parents=True)
    return classroom.tree


def test_nothing_is_left_of_a_student_and_nothing_of_another_is_lost(classroom):
    tree = graded(classroom)
    assert len(forget.find(tree, "zoe")) == 7
    done = CliRunner().invoke(app, ["forget", "zoe", "--yes", "--course", str(tree.root)])
    assert done.exit_code == 0, done.output
    assert "summary.html held the name; make it again with  grader class summary" in done.output
    left = [path for path in tree.root.rglob("*") if path.name == "zoe" or path.name.startswith("zoe+")]
    assert not left
    held = [path for path in tree.root.rglob("*") if path.is_file() and MARK in path.read_bytes()]
    assert not held
    assert b"zoe" not in tree.database.read_bytes().replace(b"zoem", b"")
    assert classroom.scores("zoem")["toy-kernel"] == (10, False)
    assert tree.submitted("zoem", toy.NAME).is_dir() and (tree.feedback("zoem", toy.NAME)).is_dir()
    with pytest.raises(ClassroomError, match="nothing is kept"):
        forget.find(tree, "zoe")


def test_nothing_is_deleted_without_a_yes(classroom):
    tree = graded(classroom)
    done = CliRunner().invoke(app, ["forget", "zoe", "--course", str(tree.root)], input="n\n")
    assert done.exit_code == 2 and tree.submitted("zoe", toy.NAME).is_dir()


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "/etc", ".ready"])
def test_what_is_no_name_deletes_nothing(classroom, name):
    with pytest.raises(ClassroomError, match="no student's id"):
        forget.forget(classroom.tree, name)


def test_a_link_is_removed_and_not_followed(classroom, tmp_path):
    (tmp_path / "precious").mkdir()
    (classroom.tree.root / "submitted" / "eve").symlink_to(tmp_path / "precious")
    forget.forget(classroom.tree, "eve")
    assert (tmp_path / "precious").is_dir() and not (classroom.tree.root / "submitted" / "eve").is_symlink()


def test_not_while_grading(classroom):
    tree = graded(classroom)
    with only_one(tree), pytest.raises(ClassroomError, match="at work"):
        forget.forget(tree, "zoe")
