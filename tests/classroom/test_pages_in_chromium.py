"""The instructor's pages in a real browser: a hostile class is graded, looked at and given feedback.

No script of a student's runs, and nothing is asked of any other machine. `PICTURES=FOLDER` keeps screenshots.
"""

import os
from pathlib import Path
from urllib.parse import quote

import classroom_toy as toy
import hostile_markdown
import pytest
from chromium import Browser, needs_chromium
from formgrader_server import Server, trust

NAMES = ('<img src=x onerror=pwn(1)>"', "</script><script>pwn(1)</script>")
STUDENT = "o'brien & <b onmouseover=pwn(1)>"
HOSTILE_FILE = "wrong // </pre></script><script>pwn(1)</script> <img src=https://evil.example/f.png onerror=pwn(1)>"


@pytest.fixture
def browser(tmp_path):
    browser = Browser(tmp_path / "chromium")
    browser.call("Page.addScriptToEvaluateOnNewDocument", source="window.pwn = () => { window.pwned = true; };")
    browser.call("Network.setExtraHTTPHeaders", headers={"Authorization": "token t"})  # of `Server`
    yield browser
    browser.close()


def is_calm(browser, server, silent=True):
    """Nothing ran and nothing was loaded from elsewhere. Scripts of nbgrader's all ran: the policy stopped none."""
    outside = [url for url in browser.requests if not url.startswith((server, "data:", "file:", "about:"))]
    assert not outside and not browser.dialogs
    assert not browser.evaluate("Boolean(window.pwned)")
    assert not (silent and browser.said), browser.said


def keep(browser, name):
    if folder := os.environ.get("PICTURES"):
        Path(folder).mkdir(exist_ok=True)
        browser.picture(Path(folder) / f"{name}.png")


@needs_chromium
def test_a_hostile_class_in_the_instructors_browser(classroom, toy_root, browser):
    words = "A first line that is **read**.\n\n" + "\n\n".join(hostile_markdown.ALL)
    classroom.hand_in(STUDENT, cu=HOSTILE_FILE, book=toy.answered(words=words, python=f"'{HOSTILE_FILE}'"))
    classroom.hand_in("ada")
    trust(classroom)
    server = Server(classroom, toy_root)
    pages = f"{server.url}formgrader"
    try:
        browser.open(f"{pages}/manage_assignments", ready="window.$ && $('td.name a').length == 1 && $.active == 0")
        browser.do("$('a:contains(Add new assignment)')[0].click()")  # a handler of nbgrader's own, which may run
        browser.wait("$('.modal.in').length")
        keep(browser, "assignments")
        is_calm(browser, server.url)
        browser.open(f"{pages}/manage_submissions/{toy.NAME}", ready="window.$ && $('.label-warning').length == 2")
        assert browser.evaluate("document.querySelectorAll('tbody b, tbody img').length") == 0
        for waiting in (1, 0):  # press Autograde in each row
            browser.do("$('.label-warning').first().closest('tr').find('.autograde a')[0].click()")
            browser.wait("$('.modal.in').length", 60)
            assert "Success" in browser.evaluate("$('.modal.in').text()")
            browser.do("$('.modal').modal('hide')")
            browser.wait(f"!$('.modal, .modal-backdrop').length && $('.label-warning').length == {waiting}")
        keep(browser, "submissions")
        is_calm(browser, server.url)
        assert classroom.scores("ada")["toy-kernel"] == (10, False) and classroom.scores(STUDENT)["toy-kernel"][0] == 0
        rename(classroom, STUDENT, *NAMES)

        browser.open(f"{pages}/manage_students", ready="window.$ && $('td.name a').length == 2")
        is_calm(browser, server.url)
        keep(browser, "students")
        browser.do("[...document.querySelectorAll('td.name a')].find(a => a.text.includes('img')).click()")
        browser.wait("window.student_id && document.querySelector('td.name a') && $.active == 0")
        assert browser.evaluate("document.querySelector('.breadcrumb .active').textContent") == STUDENT
        assert browser.evaluate("student_id") == STUDENT
        is_calm(browser, server.url)

        browser.open(f"{pages}/gradebook/{toy.NAME}/{toy.NAME}", ready="window.$ && $('td.name a').length == 4")
        browser.do("document.querySelector('#toggle_names').click()")
        browser.wait("getComputedStyle(document.querySelector('a.name-shown')).display != 'none'")
        keep(browser, "manual_grading")
        is_calm(browser, server.url)
        browser.do("[...document.querySelectorAll('a.name-shown')].find(a => a.text.includes('img')).click()")
        browser.wait(
            "window.formgrader && formgrader.loaded && document.querySelector('textarea.comment') && $.active == 0"
        )
        shown = browser.evaluate("document.body.innerText")
        assert "[x](javascript:pwn(1))" in shown and "<SCRIPT SRC=//evil.example/x.js></SCRIPT>" in shown
        assert (
            browser.evaluate("document.querySelectorAll('.answer a, .answer img, .answer [style], .answer svg').length")
            == 0
        )
        browser.do("document.querySelector('.glyphicon-eye-open').click()")  # a handler that the policy lets run
        assert NAMES[0] in browser.evaluate("document.querySelector('.breadcrumb a.name-shown').innerText")
        keep(browser, "grading_page")
        is_calm(browser, server.url)

        browser.do("$('#toy-explain').val('2').trigger('change')")
        browser.do("$('#toy-explain-comment').val('Read \"select\" again. <script>pwn(1)</script>').trigger('change')")
        browser.wait("document.querySelector('#toy-explain').classList.length && $.active == 0")
        assert classroom.scores(STUDENT)["toy-explain"] == (None, False)  # graded by hand: no longer waiting
        assert server.press(f"submission/{toy.NAME}/ada/autograde")["success"]
        assert server.press(f"assignment/{toy.NAME}/generate_feedback")["success"]
        page = classroom.tree.feedback(STUDENT, toy.NAME) / f"{toy.NAME}.html"
        browser.open(page.as_uri())
        text = browser.evaluate("document.body.innerText")
        assert 'Read "select" again. <script>pwn(1)</script>' in text and "[x](javascript:pwn(1))" in text
        assert browser.evaluate("document.querySelectorAll('script, img, a, svg, iframe, link').length") == 0
        keep(browser, "feedback")
        is_calm(browser, server.url)

        notebook = quote(f"autograded/{STUDENT}/{toy.NAME}/{toy.NAME}.ipynb")
        browser.open(f"{server.url}lab/tree/{notebook}", ready="document.querySelector('.jp-RenderedMarkdown .answer')")
        browser.wait("document.querySelector('.jp-Notebook').innerText.includes('as handed in')")
        assert "[x](javascript:pwn(1))" in browser.evaluate("document.querySelector('.answer').innerText")
        assert (
            browser.evaluate("document.querySelectorAll('.jp-Notebook a:not([href^=\"#\"]), mjx-container').length")
            == 0
        )
        keep(browser, "jupyterlab")
        is_calm(browser, server.url, silent=False)  # JupyterLab tells its console how it starts
        browser.open("about:blank")  # it would start another kernel for the one that is ended
    finally:
        server.close()


@needs_chromium
def test_the_same_number_typed_again_ends_a_review(classroom, toy_root, browser):
    folder = classroom.hand_in("ada", cu="half")
    classroom.grade()
    with classroom.book() as book:
        grade = book.find_grade("toy-kernel", toy.NAME, toy.NAME, "ada")
        grade.manual_score, grade.needs_manual_grade = 9, False
        book.db.commit()
    (folder / "toy.cu").write_text("right")
    classroom.grade()
    assert classroom.scores("ada")["toy-kernel"] == (10, True)
    with classroom.book() as book:
        submission = book.find_submission_notebook(toy.NAME, toy.NAME, "ada").id
    server = Server(classroom, toy_root)
    try:
        ready = "window.formgrader && formgrader.loaded && $('#toy-kernel').val() == '9' && $.active == 0"
        browser.open(f"{server.url}formgrader/submissions/{submission}", ready=ready)
        assert browser.evaluate("$('#toy-kernel').closest('div').find('.mark-graded').is(':visible')")
        for event in ("input", "focusout"):
            browser.do(f"$('#toy-kernel')[0].dispatchEvent(new Event('{event}', {{bubbles: true}}))")
        browser.wait("!$('#toy-kernel').hasClass('needs_manual_grade') && $.active == 0")
        assert classroom.scores("ada")["toy-kernel"] == (10, False)
        is_calm(browser, server.url)
        browser.open("about:blank")
    finally:
        server.close()


def rename(classroom, student, first, last):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{classroom.tree.database}") as book:
        found = book.find_student(student)
        found.first_name, found.last_name = first, last
        book.db.commit()
