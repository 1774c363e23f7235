"""What students and the registrar get."""

import csv
import json
import re

import classroom_toy as toy
import pytest

from grader.classroom import page, public
from grader.classroom.errors import ClassroomError
from grader.classroom.session import Session
from grader.verdict import CheckResult, State


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
        "Hidden cases: 1 check passed with the cases that you can see and failed with others of the same kind" in page
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
    assert "– 1 check was not run: it needs ‘Values are right’ first" in page
    assert page.count("✗") == 1 and "not checked" not in page
    assert "Hidden cases" not in page.partition("The cell")[0]  # nothing passed, so none was reached


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
    assert "The answer could not be read, so there was nothing to check." in page
    assert "Element 32" not in page


def test_whoever_was_not_graded_has_no_page(classroom):
    with pytest.raises(ClassroomError, match="no bob's 10_toy was graded yet: run  grader autograde  first"):
        Session(classroom.tree).feedback(toy.NAME, "bob")


def test_what_was_odd_is_told(classroom):
    classroom.hand_in("ada", cu=None)
    classroom.grade()
    page = classroom.feedback("ada")
    assert "toy.cu was not handed in." in page
    assert "not handed in</span>, 0 of 10 points" in page and "✗" not in page
    assert "Hidden cases" not in page.partition("The cell")[0].partition("The kernel</h2>")[2]


def test_released_text_is_not_shown_as_a_students_answer(classroom):
    classroom.hand_in("ada", book=False)
    classroom.grade()
    page = classroom.feedback("ada")
    assert toy.QUESTION not in page and "Your cell as handed in" not in page


def test_words_on_a_page():
    assert page.prose("use `a<b>` & go") == "use <code>a&lt;b&gt;</code> &amp; go"
    assert page.prose("one ` only <b>") == "one ` only &lt;b&gt;"
    assert page.belief("A mask hides. (Some do.)") == "You may have thought: “A mask hides.” But: Some do."
    assert page.belief("Call f(x) (or g).") == "You may have thought: “Call f(x) (or g).”"
    assert page.when("2026-11-30T00:36:22+00:00") == "30 November 2026, 00:36 UTC"


def test_a_case_tells_block_and_thread():
    detail = {"case": {"index": [128], "block": 2, "thread": 0, "label": "n = 300"}}
    facts = public._facts(detail)
    assert facts == (("", "n = 300"), ("index", "128"), ("block", "2"), ("thread", "0"))
    check = public.PublicCheck(False, "not passed", "Sentence.", facts=facts)
    assert "block <code>2</code>; thread <code>0</code>" in page._check_html(check)


def test_checks_that_wait_are_one_line_for_what_they_all_wait_for():
    def check(name, **more):
        return CheckResult(check=name, state=State.ERROR, sentence=f"Sentence {name}.", group="g", **more)

    checks = (check("a"), check("b", blocked_by="a"), check("c", blocked_by="b"), check("d", blocked_by="a"))
    texts = {c.check: c for c in checks}
    shown = [public._public_check(c, {}, texts) for c in checks]
    assert [c.waits_for for c in shown] == ["", "Sentence a.", "Sentence a.", "Sentence a."]


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
    assert (zoe["score"], zoe["pending"], zoe["toy-kernel"]) == ("6.0", "17.0", "6.0")  # 4 not judged here, 13 missing


def test_a_student_who_handed_in_nothing_has_empty_columns(classroom, tmp_path):
    from nbgrader.api import Gradebook

    from grader.classroom.session import Session

    with Gradebook(f"sqlite:///{classroom.tree.database}") as book:
        book.add_student("kay")
    Session(classroom.tree).export(tmp_path / "g.csv")
    (row,) = csv.DictReader((tmp_path / "g.csv").open(newline=""))
    assert (row["student_id"], row["score"], row["toy-kernel"]) == ("kay", "0.0", "")
