"""nbgrader's own ways to autograde, its command and the formgrader's button, give what our command gives."""

import json
import subprocess

import classroom_toy as toy
import pytest
from formgrader_server import Server, program, trust

FULL = {"toy-kernel": (10, False), "toy-cell": (10, False), "toy-explain": (None, True)}
HALF = {"toy-kernel": (6, False), "toy-cell": (0, True), "toy-explain": (None, True)}


def submissions(classroom):
    """One right; one with half of the kernel and a notebook that nbgrader cannot open; one under another
    name."""
    classroom.hand_in("ada")
    classroom.hand_in("bob", cu="half", book=b"{")
    classroom.hand_in("cyd", book=False, **{"mine.ipynb": json.dumps(toy.answered()).encode()})


EXPECTED = {"ada": FULL, "bob": HALF, "cyd": FULL}


def stripped(classroom, student):
    book = classroom.autograded(student)
    return [(cell["id"], cell["source"], cell.get("outputs")) for cell in book["cells"]]


def test_the_command_and_nbgraders_api_agree(classroom):
    from nbgrader.apps.api import NbGraderAPI

    from grader.classroom.session import Session

    trust(classroom)
    submissions(classroom)
    classroom.grade(trust=False)
    by_command = {s: (classroom.scores(s), stripped(classroom, s)) for s in EXPECTED}
    session = Session(classroom.tree)
    api = NbGraderAPI(session.course, config=session.config)
    for student in EXPECTED:
        assert api.autograde(toy.NAME, student)["success"]
    assert {s: (classroom.scores(s), stripped(classroom, s)) for s in EXPECTED} == by_command
    assert {s: scores for s, (scores, _) in by_command.items()} == EXPECTED


def test_nbgraders_command_line(classroom, toy_root):
    trust(classroom)
    submissions(classroom)
    start = f"from nbgrader.apps import AutogradeApp; AutogradeApp.launch_instance([{toy.NAME!r}])"
    done = subprocess.run(
        program(toy_root, start), cwd=classroom.tree.root, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    assert {s: classroom.scores(s) for s in EXPECTED} == EXPECTED


def test_nbgrader_in_another_course_is_left_alone(classroom):
    """Only a class that is configured for it is graded our way, in the same process."""
    from nbgrader.converters import Autograde, NbGraderException
    from nbgrader.coursedir import CourseDirectory

    import grader.classroom.nbgrader_setup  # noqa: F401

    course = CourseDirectory(root=str(classroom.tree.root), assignment_id="nothing")
    with pytest.raises(NbGraderException, match="No notebooks were matched"):
        Autograde(coursedir=course).start()


def test_no_notebook_is_executed_even_if_our_grading_is_not_in_effect(classroom, monkeypatch):
    from nbgrader.converters import Autograde, BaseConverter, NbGraderException

    trust(classroom)
    classroom.hand_in("ada")
    monkeypatch.setattr(Autograde, "start", BaseConverter.start)
    from grader.classroom.session import Session

    session = Session(classroom.tree)
    monkeypatch.setattr(Autograde, "start", BaseConverter.start)
    session.course.assignment_id, session.course.student_id = toy.NAME, "*"
    with pytest.raises(NbGraderException):
        Autograde(coursedir=session.course, config=session.config).start()
    assert not classroom.tree.autograded("ada", toy.NAME).exists()
    assert classroom.scores("ada")["toy-kernel"] == (None, True)


def test_the_formgraders_buttons(classroom, toy_root):
    submissions(classroom)
    server = Server(classroom, toy_root)
    try:
        refused = server.press(f"submission/{toy.NAME}/ada/autograde")
        assert not refused["success"] and "error" not in refused  # no traceback
        assert all(len(line) <= 62 for line in refused["log"].splitlines())
        assert "a test says so" in refused["log"] and "c.GraderCourse.trust_submissions = True" in refused["log"]
        first = server.get("formgrader/manage_assignments")
        assert "exchange directory" not in first and "gradebook.db" not in first  # no setting is shown
        (assignment,) = json.loads(server.get("formgrader/api/assignments"))
        assert assignment["status"] == "released"
        trust(classroom)  # the server reads its configuration again at each press
        for student in EXPECTED:
            answer = server.press(f"submission/{toy.NAME}/{student}/autograde")
            assert answer["success"], answer
        assert {s: classroom.scores(s) for s in EXPECTED} == EXPECTED
        assert server.press(f"assignment/{toy.NAME}/generate_feedback")["success"]
        page = (classroom.tree.feedback("ada", toy.NAME) / f"{toy.NAME}.html").read_text()
        assert "20 of 23 points" in page and "<script" not in page
        notebooks = json.loads(server.get(f"formgrader/api/submitted_notebooks/{toy.NAME}/{toy.NAME}"))
        identity = {n["student"]: n["id"] for n in notebooks}["bob"]
        shown = server.get(f"formgrader/submissions/{identity}/")
        assert "6 of 10 points" in shown and "could not be read" in shown
        assert "names NaN" in shown  # the rubric
        (bob,) = (s for s in json.loads(server.get("formgrader/api/students")) if s["id"] == "bob")
        assert (bob["last_name"], bob["first_name"]) == ("bob", "")
        assert "cdnjs" not in shown and "window.MathJax" in shown  # nothing is loaded from the network
    finally:
        server.close()
