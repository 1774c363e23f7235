"""What an instructor sees of a whole class, and can show to it."""

import re
import threading
import urllib.error
import urllib.request
from dataclasses import replace

import classroom_toy as toy
import pytest
from typer.testing import CliRunner

from grader.classroom import material, summary
from grader.classroom.commands import app
from grader.classroom.live import LivePage
from grader.classroom.summary import How, Mark, Reader
from grader.classroom.summary_page import summary_page


@pytest.fixture
def graded(classroom):
    answers = {
        "ada": "right",
        "bob": "wrong",
        "cyd": "hidden",
        "dee": "half",
        "eve": "pending",
        "fay": "boom",
        "gus": None,
    }
    for student, answer in answers.items():
        classroom.hand_in(student, cu=answer)
    classroom.hand_in("hal <script>", cu="blocks")
    classroom.grade()
    return classroom


def kernel(classroom, **options):
    found = Reader(classroom.tree).read(material.chapter(10), **options)
    return found, found.exercises[0]


def test_how_the_class_did(graded):
    found, exercise = kernel(graded)
    assert found.students == ("ada", "bob", "cyd", "dee", "eve", "fay", "gus", "hal <script>")
    assert exercise.counts == {How.PASSED: 1, How.FAILED: 4, How.WAITING: 1, How.FAULT: 1, How.ABSENT: 1}


def test_who_met_which_misconception(graded):
    _, exercise = kernel(graded)
    values, bounds = exercise.checks[:2]
    assert (values.sentence, values.failed, values.hidden) == ("Values are right.", 2, 0)
    assert (bounds.failed, bounds.hidden) == (3, 1)  # bob, dee; cyd in a hidden case; hal's did not run
    assert values.belief == "Multiplying by the mask is not the same as choosing."
    assert [check.sentence for _, check in exercise.troubles] == [bounds.sentence, values.sentence]
    marks = dict(zip(kernel(graded)[0].students, exercise.marks, strict=True))
    assert marks["cyd"][:2] == (Mark.PASSED, Mark.HIDDEN)
    assert marks["eve"][:2] == (Mark.PASSED, Mark.WAITING)
    assert marks["hal <script>"][:2] == (Mark.FAILED, Mark.NOT_RUN)
    assert set(marks["gus"]) == {Mark.ABSENT}


def test_the_page_tells_nothing_of_a_hidden_case_and_runs_nothing(graded):
    html = summary_page([kernel(graded)[0]])
    assert toy.SECRET_EXPECTATION not in html and "77" not in re.sub(r"<(style|svg).*?</\1>", "", html, flags=re.S)
    for student in ("ada", "cyd"):
        result = graded.grade(student)[student].result
        assert not any(str(seed) in html for seed in result.seeds.values())
    assert "<script" not in html and "hal &lt;script&gt;" in html
    assert not re.search(r"https?://|<(script|link|img|iframe|a)\b|@import", html)
    assert "“Multiplying by the mask is not the same as choosing.”" in html


def test_every_picture_is_words_too(graded):
    html = summary_page([kernel(graded)[0]])
    assert all('aria-hidden="true"' in tag for tag in re.findall(r"<svg[^>]*>", html))
    words = re.sub(r"<svg.*?</svg>", "", html, flags=re.S)
    for count, how in ((1, "passed"), (4, "not passed"), (1, "waiting for a grade"), (1, "the grader failed")):
        assert f"{count} {how}" in words
    assert "<b>3</b> of 8" in words and "1 in a hidden case only" in words
    assert words.count('scope="row"') == 16 and 'scope="col"' in words


def test_a_row_of_the_contract_that_all_checks_cite_stands_there_once(graded):
    found, exercise = kernel(graded)
    assert len(exercise.troubles) == 2
    for answers, times in ((("Keep NaN.", "Keep NaN."), 1), (("Keep NaN.", "Keep rows."), 2), (("", ""), 0)):
        checks = tuple(replace(c, answer=a) for c, a in zip(exercise.checks[:2], answers, strict=True))
        html = summary_page([replace(found, exercises=(replace(exercise, checks=checks + exercise.checks[2:]),))])
        assert html.count("The contract: ") == times


def test_names_can_be_left_out(graded):
    found, exercise = kernel(graded, anonymous=True)
    html = summary_page([found])
    assert not any(name in html for name in ("ada", "bob", "cyd", "hal &lt;"))
    assert found.students == ("",) * 8 and len(exercise.marks) == 8
    assert [row[0] for row in exercise.marks] != [row[0] for row in kernel(graded)[1].marks]  # another order


def test_a_class_without_results_has_a_summary(classroom):
    classroom.hand_in("ada")
    html = summary_page([kernel(classroom)[0]])
    assert "0 submissions graded. 1 more is handed in and not graded yet." in html


def test_results_are_read_again_only_when_they_changed(graded, monkeypatch):
    reader = Reader(graded.tree)
    before = reader.read(material.chapter(10))
    with monkeypatch.context() as patch:
        patch.setattr(summary.Result, "read", None)
        assert reader.read(material.chapter(10)) == before
    path = graded.tree.result("bob", toy.NAME)
    path.write_text(path.read_text().replace('"bob"', '"bob the second"'))
    assert "bob the second" in reader.read(material.chapter(10)).students


def test_a_damaged_result_is_left_out(graded):
    graded.tree.result("ada", toy.NAME).write_text("{")
    assert "ada" not in kernel(graded)[0].students


def test_the_command(graded, tmp_path):
    out = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["summary", "10", "--out", str(out), "--course", str(graded.tree.root)])
    assert done.exit_code == 0, done.output
    assert "Class summary" in out.read_text() and not list(tmp_path.glob("*.part"))
    done = CliRunner().invoke(app, ["summary", "--anonymous", "--course", str(graded.tree.root)])
    assert done.exit_code == 0 and "ada" not in (graded.tree.root / "summary.html").read_text()


def test_a_chapter_that_nobody_handed_in_overwrites_no_summary(classroom):
    done = CliRunner().invoke(app, ["summary", "10", "--course", str(classroom.tree.root)])
    assert done.exit_code == 2 and "nobody has handed in 10_toy in this class yet" in done.output
    assert not (classroom.tree.root / "summary.html").exists()


def test_what_could_not_be_read_waits(classroom):
    classroom.hand_in("ada", cu="right")
    path = classroom.tree.submitted("ada", toy.NAME) / "toy.cu"
    path.unlink()
    path.symlink_to("/etc/passwd")
    classroom.grade()
    assert kernel(classroom)[1].counts == {How.WAITING: 1}


def test_a_live_page_answers_only_to_its_own_address(graded):
    pages = iter(["one", "two"])
    live = LivePage(lambda: next(pages))
    thread = threading.Thread(target=live.serve)
    thread.start()
    try:
        assert live.address.startswith("http://127.0.0.1:")
        for expected in ("one", "two"):
            with urllib.request.urlopen(live.address, timeout=10) as answer:
                assert answer.read().decode() == expected and answer.headers["Cache-Control"] == "no-store"
        for wrong in (
            live.address[:-2] + "x/",
            live.address.partition("/")[0] + "//127.0.0.1:" + live.address.split(":")[2].split("/")[0] + "/",
        ):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(wrong, timeout=10)
    finally:
        live.close()
        thread.join(10)


def test_a_live_page_renews_itself(graded):
    from datetime import datetime

    html = summary_page([kernel(graded)[0]], refresh=5, now=datetime(2030, 5, 3, 14, 5, 6))
    assert '<meta http-equiv="refresh" content="5">' in html and "Now 14:05:06" in html
