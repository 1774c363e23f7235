"""What students and the registrar get."""

import csv
import json
import re

import classroom_toy as toy
import pytest


def test_feedback_names_the_misconception_and_the_smallest_visible_case(classroom):
    classroom.hand_in("ada", cu="wrong")
    classroom.grade()
    page = classroom.feedback("ada")
    assert "Multiplying by the mask is not the same as choosing." in page
    assert "shape <code>33</code>" in page and "expected <code>1.5</code>" in page
    assert "Element 32 &lt;is&gt; wrong." in page
    assert "A toy &lt;chapter&gt;" in page
    assert "10 of 23 points, 3 waiting for a grade" in page


@pytest.mark.parametrize("answer", ["hidden", "boom"])
def test_nothing_of_a_hidden_case_or_a_fault_reaches_a_student(classroom, answer):
    classroom.hand_in("ada", cu=answer, book=toy.answered(python=f"return '{answer}'"))
    result = classroom.grade()["ada"].result
    assert toy.SECRET_EXPECTATION in result.to_json()
    handed_out = classroom.feedback("ada") + json.dumps(classroom.autograded("ada"))
    assert toy.SECRET_EXPECTATION not in handed_out
    for seed in result.seeds.values():
        assert str(seed) not in handed_out
    assert classroom.tree.secret.read_text().strip() not in handed_out


def test_hidden_cases_are_told_in_one_sentence(classroom):
    classroom.hand_in("ada", cu="hidden")
    classroom.grade()
    page = classroom.feedback("ada")
    assert (
        "Hidden cases: 1 check passed with the cases that you can see and failed with others of the same kind"
        in page
    )
    assert "Multiplying by the mask is not the same as choosing." in page
    assert "77" not in re.sub(r"<style>.*?</style>", "", page, flags=re.S).replace(
        classroom.grade()["ada"].result.graded, ""
    )


def test_a_check_that_could_not_run_is_not_an_error_of_the_student(classroom):
    classroom.hand_in("ada", cu="blocks")
    classroom.grade()
    page = classroom.feedback("ada")
    assert "not passed</span>, 0 of 10 points" in page
    assert "Not checked, because this did not pass: Values are right." in page


def test_a_fault_costs_nothing_and_is_told(classroom):
    classroom.hand_in("ada", cu="boom")
    classroom.grade()
    page = classroom.feedback("ada")
    assert "The grader itself failed here. It costs you no points" in page
    assert "10 of 23 points, 13 waiting for a grade" in page


def test_a_page_stands_alone(classroom):
    classroom.hand_in("ada", cu="right // </pre><script src='http://example.org/x.js'></script>")
    classroom.grade()
    page = classroom.feedback("ada")
    assert "Content-Security-Policy" in page and "&lt;script src=" in page
    assert not re.search(r"<(script|link|img|iframe|a)\b|url\(|@import", page)


def test_a_persons_score_and_comment_are_shown(classroom):
    from nbgrader.api import Gradebook

    classroom.hand_in("ada")
    classroom.grade()
    with Gradebook(f"sqlite:///{classroom.tree.database}") as book:
        grade = book.find_grade("toy-explain", toy.NAME, toy.NAME, "ada")
        grade.manual_score, grade.needs_manual_grade = 2, False
        book.find_comment("toy-explain", toy.NAME, toy.NAME, "ada").manual_comment = "Nearly: <NaN>?"
        book.db.commit()
    page = classroom.feedback("ada")
    assert "22 of 23 points" in page and "Nearly: &lt;NaN&gt;?" in page
    assert "Because NaN times zero is NaN." in page


def test_what_could_not_be_read_is_not_shown_as_wrong(classroom):
    classroom.hand_in("ada", book=b"{")
    classroom.grade()
    page = classroom.feedback("ada")
    assert "could not be read</span>, 0 of 10 points, 10 waiting for a grade" in page
    assert "toy-cell-answer could not be read, so it was not checked." in page
    assert "Element 32" not in page


def test_what_was_odd_is_told(classroom):
    classroom.hand_in("ada", cu=None)
    classroom.grade()
    assert "toy.cu was not handed in." in classroom.feedback("ada")


def test_csv(classroom, tmp_path):
    from grader.classroom.session import Session

    classroom.hand_in("ada")
    classroom.hand_in("=1+1", cu="half")
    classroom.hand_in("zoe, the last", cu="pending", book=False)
    classroom.grade()
    assert Session(classroom.tree).export(tmp_path / "grades.csv") == 3
    rows = {row["student_id"]: row for row in csv.DictReader((tmp_path / "grades.csv").open(newline=""))}
    assert list(rows) == ["'=1+1", "ada", "zoe, the last"]
    ada = rows["ada"]
    assert (ada["score"], ada["max_score"], ada["pending"]) == ("20.0", "23.0", "3.0")
    assert (ada["toy-kernel"], ada["toy-cell"], ada["toy-explain"]) == ("10.0", "10.0", "0.0")
    zoe = rows["zoe, the last"]
    assert (zoe["score"], zoe["pending"], zoe["toy-kernel"]) == ("6.0", "4.0", "6.0")


def test_a_student_who_handed_in_nothing_has_empty_columns(classroom, tmp_path):
    from nbgrader.api import Gradebook

    from grader.classroom.session import Session

    with Gradebook(f"sqlite:///{classroom.tree.database}") as book:
        book.add_student("kay")
    Session(classroom.tree).export(tmp_path / "g.csv")
    (row,) = csv.DictReader((tmp_path / "g.csv").open(newline=""))
    assert (row["student_id"], row["score"], row["toy-kernel"]) == ("kay", "0.0", "")
