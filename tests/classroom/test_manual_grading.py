"""What a person decides: points that wait, points by hand, comments, being late; what a new grading leaves of it."""

import json
import shutil

import classroom_toy as toy
import pytest

from grader.classroom import material

LATE = """
from nbgrader.plugins import LateSubmissionPlugin
class PointAnHour(LateSubmissionPlugin):
    def late_submission_penalty(self, student, score, seconds):
        return seconds / 3600
c.AssignLatePenalties.plugin_class = PointAnHour
"""


def book_of(classroom):
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{classroom.tree.database}")


def decide(classroom, student, cell, score, comment=None, extra=None):
    """What the formgrader's page does when a person types a score (and a comment)."""
    with book_of(classroom) as book:
        grade = book.find_grade(cell, toy.NAME, toy.NAME, student)
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = score, extra, False
        if comment:
            book.find_comment(cell, toy.NAME, toy.NAME, student).manual_comment = comment
        book.db.commit()


def grade_of(classroom, student, cell):
    with book_of(classroom) as book:
        grade = book.find_grade(cell, toy.NAME, toy.NAME, student)
        return grade.score, grade.needs_manual_grade


@pytest.mark.parametrize(("answer", "before"), [("pending", 6), ("all-elsewhere", 0)])
def test_what_could_not_be_judged_waits_until_a_person_decides(classroom, answer, before):
    classroom.hand_in("ada", cu=answer)
    classroom.grade()
    decide(classroom, "ada", "toy-explain", 3)
    page = classroom.feedback("ada")
    assert f"{before + 13} of 23 points, {10 - before} waiting for a grade" in page
    assert "waits for a grade" in page
    decide(classroom, "ada", "toy-kernel", 9)
    page = classroom.feedback("ada")
    assert "<b>22 of 23 points</b>" in page and "9 / 10" in page
    assert "given by a person" in page  # beside what the checks alone would have given


def test_a_decision_survives_a_new_grading_and_is_shown_for_review(classroom):
    classroom.hand_in("ada", cu="pending")
    classroom.grade()
    decide(classroom, "ada", "toy-kernel", 9, extra=0.5)
    decide(classroom, "ada", "toy-explain", 2, "Say which NaN you mean.")
    (classroom.tree.submitted("ada", toy.NAME) / "toy.cu").write_text("right")
    classroom.grade()
    assert grade_of(classroom, "ada", "toy-kernel") == (9.5, True)
    assert grade_of(classroom, "ada", "toy-explain") == (2, False)  # that answer is the same
    page = classroom.feedback("ada")
    assert "Say which NaN you mean." in page
    assert "<td>The kernel</td><td class=\"n\">9.5 / 10</td><td>given by a person, is looked at again</td>" in page
    assert "<b>21.5 of 23 points; a score is looked at again</b>" in page and "waiting for a grade" not in page
    assert "given by a person. The score is looked at again, since" in page


def decided(classroom):
    classroom.hand_in("ada", cu="half")
    classroom.hand_in("bob", cu="pending")
    classroom.grade()
    for student in ("ada", "bob"):
        decide(classroom, student, "toy-kernel", 9)
        decide(classroom, student, "toy-explain", 2)


def marks(classroom, student="ada"):
    """What of a submission's scores by hand is to be looked at again."""
    return [cell for cell in ("toy-kernel", "toy-explain") if grade_of(classroom, student, cell)[1]]


def test_grading_again_what_has_not_changed_keeps_a_decision(classroom):
    decided(classroom)
    assert not classroom.grade(force=True)["ada"].unchanged
    assert not marks(classroom) and not marks(classroom, "bob")
    stamp = classroom.tree.submitted("ada", toy.NAME) / "timestamp.txt"
    for time in (b"2030-05-01 15:00:00 UTC", b"2030-05-02 15:00:00 UTC"):
        stamp.write_bytes(time)
        classroom.grade(force=True)
        assert not marks(classroom)
    shutil.rmtree(classroom.tree.root / "autograded")
    classroom.grade()
    assert not marks(classroom) and not marks(classroom, "bob")
    assert "<b>21 of 23 points</b>" in classroom.feedback("ada")


def test_only_the_part_that_changed_is_for_review(classroom):
    decided(classroom)
    book = classroom.tree.submitted("ada", toy.NAME) / f"{toy.NAME}.ipynb"
    book.write_text(json.dumps(toy.answered(words="Another reason.")))
    classroom.grade()
    assert marks(classroom) == ["toy-explain"]
    classroom.grade(force=True)
    assert marks(classroom) == ["toy-explain"]  # nobody has looked at it yet
    decide(classroom, "ada", "toy-explain", 2)
    classroom.grade(force=True)
    assert not marks(classroom)


def test_another_score_of_the_checks_is_for_review_though_the_answer_is_the_same(classroom, monkeypatch):
    decided(classroom)
    monkeypatch.setattr(material, "judging", lambda exercise: "another")
    classroom.grade()
    assert not marks(classroom)  # other checks found the same
    monkeypatch.setattr(material, "judging", lambda exercise: "a third")
    monkeypatch.setattr(material, "check", lambda e, d, **m: toy.check(e, toy_file(d, "right"), **m))
    classroom.grade()
    assert marks(classroom) == ["toy-kernel"]


def toy_file(directory, text):
    (directory / "toy.cu").write_text(text)
    return directory


def test_a_kill_before_the_gradebook_does_not_hide_that_an_answer_changed(classroom, monkeypatch):
    from grader.classroom.gradebook import GradebookWriter

    decided(classroom)
    (classroom.tree.submitted("ada", toy.NAME) / "toy.cu").write_text("half, and a word")

    def killed(*arguments, **more):
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(GradebookWriter, "write", killed)
        assert "killed" in classroom.grade("ada")["ada"].problem
    assert not marks(classroom)
    classroom.grade("ada")
    assert marks(classroom) == ["toy-kernel"]


def test_the_tables_say_what_is_for_review(classroom, tmp_path):
    import csv

    from grader.classroom.intake.roster import Person, Roster
    from grader.classroom.session import Session

    decided(classroom)
    (classroom.tree.submitted("ada", toy.NAME) / "toy.cu").write_text("right")
    classroom.grade()
    session = Session(classroom.tree)
    session.enrol(Roster(tmp_path, "plain", (), (), (Person("cy", "Cy Dee"),)))
    session.export(tmp_path / "grades.csv")
    rows = {row["student_id"]: row for row in csv.DictReader((tmp_path / "grades.csv").open())}
    assert float(rows["ada"]["pending"]) == 0
    assert rows["ada"]["flags"] == "toy-kernel: review" and rows["bob"]["flags"] == ""
    assert rows["cy"]["flags"] == "nothing handed in" and rows["cy"]["toy-kernel"] == ""
    grade = session.grades(material.chapter(10)).of["ada"]
    assert (grade.waits, grade.settled, grade.waiting()) == (0, False, "ada (review)")
    assert "The kernel: 9 of 10 (is looked at again)." in grade.sentence()


def test_an_unchanged_submission_is_not_flagged_again(classroom):
    classroom.hand_in("ada")
    classroom.grade()
    decide(classroom, "ada", "toy-explain", 2)
    assert classroom.grade()["ada"].unchanged
    assert grade_of(classroom, "ada", "toy-explain") == (2, False)


def test_the_table_of_grades_shows_what_a_person_gave(classroom, monkeypatch):
    from typer.testing import CliRunner

    from grader.cli.main import app

    said = []  # that a score is for review, by each call

    def table():
        done = CliRunner().invoke(app, ["autograde", "--trust-submissions", "--course", str(classroom.tree.root)])
        assert done.exit_code == 0, done.output
        said.append("review: what you gave the score for has changed since; Resolve" in done.output)
        return next(line.split() for line in done.output.splitlines() if line.strip().startswith("ada "))

    monkeypatch.setenv("COLUMNS", "80")
    classroom.hand_in("ada", cu="half")
    assert table() == ["ada", "6", "✗", "10", "✓", "to", "grade", "16"]
    decide(classroom, "ada", "toy-kernel", 9, extra=0.5)
    decide(classroom, "ada", "toy-explain", 2)
    assert table() == ["ada", "9.5", "by", "hand", "10", "✓", "2", "by", "hand", "21.5"]
    (classroom.tree.submitted("ada", toy.NAME) / "toy.cu").write_text("now right")
    assert table() == ["ada", "9.5", "review", "10", "✓", "2", "by", "hand", "21.5"]
    assert said == [False, False, True]


def test_being_late_costs_what_the_class_says_and_the_page_says_so(classroom):
    with book_of(classroom) as book:
        book.update_or_create_assignment(toy.NAME, duedate="2030-05-01 12:00:00 UTC")
    with classroom.tree.config.open("a") as file:
        file.write(LATE)
    classroom.hand_in("ada", **{"timestamp.txt": b"2030-05-01 15:00:00 UTC"})
    classroom.hand_in("bob", **{"timestamp.txt": b"2030-05-01 11:59:59 UTC"})
    classroom.grade()
    decide(classroom, "ada", "toy-explain", 3)
    decide(classroom, "bob", "toy-explain", 3)
    page = classroom.feedback("ada")
    assert "<b>20 of 23 points</b>" in page and "Late penalty" in page and "-3" in page
    page = classroom.feedback("bob")
    assert "<b>23 of 23 points</b>" in page and "Late penalty" not in page


def test_a_comment_on_any_exercise_reaches_its_student_as_text(classroom):
    classroom.hand_in("ada")
    classroom.grade()
    comment = "Two things:\n1. <b>mask</b> & `select`\n2. [x](javascript:alert(1)) $\\href{javascript:1}{x}$"
    decide(classroom, "ada", "toy-explain", 3, comment)
    page = classroom.feedback("ada")
    assert "&lt;b&gt;mask&lt;/b&gt;" in page and "<code>select</code>" in page
    assert "<ol><li>" in page and 'href="' not in page
