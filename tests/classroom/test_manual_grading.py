"""What a person decides: points that wait, points by hand, comments, being late; what a new grading leaves of it."""

import classroom_toy as toy
import pytest

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
    assert grade_of(classroom, "ada", "toy-explain") == (2, True)
    page = classroom.feedback("ada")
    assert "Say which NaN you mean." in page and "9.5 / 10" in page


def test_an_unchanged_submission_is_not_flagged_again(classroom):
    classroom.hand_in("ada")
    classroom.grade()
    decide(classroom, "ada", "toy-explain", 2)
    assert classroom.grade()["ada"].unchanged
    assert grade_of(classroom, "ada", "toy-explain") == (2, False)


def test_the_table_of_grades_shows_what_a_person_gave(classroom, monkeypatch):
    from typer.testing import CliRunner

    from grader.cli.main import app

    def table():
        done = CliRunner().invoke(app, ["autograde", "--trust-submissions", "--course", str(classroom.tree.root)])
        assert done.exit_code == 0, done.output
        return next(line.split() for line in done.output.splitlines() if line.strip().startswith("ada "))

    monkeypatch.setenv("COLUMNS", "80")
    classroom.hand_in("ada", cu="half")
    assert table() == ["ada", "6", "✗", "10", "✓", "to", "grade", "16"]
    decide(classroom, "ada", "toy-kernel", 9, extra=0.5)
    decide(classroom, "ada", "toy-explain", 2)
    assert table() == ["ada", "9.5", "by", "hand", "10", "✓", "2", "by", "hand", "21.5"]
    (classroom.tree.submitted("ada", toy.NAME) / "toy.cu").write_text("now right")
    assert table() == ["ada", "9.5", "review", "10", "✓", "2", "review", "21.5"]


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
