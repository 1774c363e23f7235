"""Points, flags and what is kept: from a submission to the gradebook."""

import errno
import json
import os

import classroom_toy as toy
import pytest

from grader.classroom import autograde, durable, secret
from grader.classroom.errors import ClassroomError, Stopped
from grader.classroom.result import Result
from grader.classroom.session import Session
from grader.sandbox import view

FULL = {"toy-kernel": (10, False), "toy-cell": (10, False), "toy-explain": (None, True)}


def test_a_right_submission_earns_its_points_and_words_wait_for_a_person(classroom):
    classroom.hand_in("ada")
    graded = classroom.grade()["ada"]
    assert graded.problem == "" and graded.result.notes == ()
    assert classroom.scores("ada") == FULL


def test_grading_is_refused_without_trust_and_says_why(classroom):
    classroom.hand_in("ada")
    with pytest.raises(ClassroomError, match="--trust-submissions"):
        classroom.grade(trust=False)
    assert not classroom.tree.result("ada", toy.NAME).exists()


def test_a_class_that_confined_code_can_see_is_refused(classroom, monkeypatch):
    classroom.hand_in("ada")
    monkeypatch.setattr(view, "system", lambda: ("/usr", str(classroom.tree.root.parent)))
    with pytest.raises(ClassroomError, match=f"lies in {classroom.tree.root.parent}, .* move .*class out of it"):
        classroom.grade(trust=False)
    assert not classroom.tree.result("ada", toy.NAME).exists()
    assert classroom.grade()["ada"].problem == ""


@pytest.mark.parametrize(("answer", "score"), [("right", 4), ("half", 2.4)])
def test_the_points_of_the_release_stand_and_scores_are_in_proportion(classroom, answer, score):
    """Of an exercise with 10 points in the course; those of its groups are 6 and 4."""

    class Listener(autograde.Report):
        heard = []

        def said(self, sentence):
            self.heard.append(sentence)

    source = classroom.tree.source(toy.NAME) / f"{toy.NAME}.ipynb"
    book = json.loads(source.read_text())
    book["cells"][2]["metadata"]["nbgrader"]["points"] = 4
    source.write_text(json.dumps(book))
    Session(classroom.tree).release(toy.NAME)
    classroom.hand_in("ada", cu=answer)
    assert classroom.grade(listener=Listener())["ada"].problem == ""
    assert classroom.scores("ada")["toy-kernel"] == (pytest.approx(score), False)
    assert any("toy-kernel counts 4 points in this class" in said for said in Listener.heard)


def test_what_is_said_of_workers_reaches_who_listens(classroom, monkeypatch):
    class Listener(autograde.Report):
        heard = []

        def said(self, sentence):
            self.heard.append(sentence)

    monkeypatch.setattr(autograde, "hire", lambda _, report: report.said("a worker is gone") or toy.InlineCrew())
    classroom.hand_in("ada")
    classroom.grade(listener=Listener())
    assert Listener.heard == ["a worker is gone"]


def test_the_configuration_can_give_trust(classroom):
    config = classroom.tree.config
    config.write_text(config.read_text().replace("trust_submissions = False", "trust_submissions = True"))
    classroom.hand_in("ada")
    classroom.grade(trust=False)
    assert classroom.scores("ada") == FULL


def test_the_released_text_is_a_zero_not_a_wait(classroom):
    classroom.hand_in("ada", cu=toy.SKELETON, book=toy.notebook())
    result = classroom.grade()["ada"].result
    assert classroom.scores("ada") == {
        "toy-kernel": (0, False),
        "toy-cell": (0, False),
        "toy-explain": (0, False),
    }
    assert result.unanswered == {"toy-cell-answer", "toy-explain"}


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("half", (6, False)),
        ("hidden", (6, False)),
        ("pending", (6, True)),
        ("all-elsewhere", (None, True)),
        ("boom", (None, True)),
        ("forge", (None, True)),
        ("wrong", (0, False)),
    ],
)
def test_points_of_an_answer(classroom, answer, score):
    classroom.hand_in("ada", cu=answer)
    classroom.grade()
    assert classroom.scores("ada") == FULL | {"toy-kernel": score}


def test_a_later_fault_keeps_the_score_of_the_same_answers(classroom, monkeypatch):
    from grader.classroom import material

    classroom.hand_in("ada")
    classroom.grade()

    def broken(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(material, "check", broken)
    classroom.grade(force=True)
    assert classroom.scores("ada")["toy-kernel"] == (10, True)
    (classroom.tree.submitted("ada", toy.NAME) / "toy.cu").write_text("other")
    classroom.grade()
    assert classroom.scores("ada")["toy-kernel"] == (None, True)


def test_one_bad_submission_never_stops_the_rest(classroom, monkeypatch):
    from grader.classroom import judge

    for student in ("ada", "bob", "eve"):
        classroom.hand_in(student)
    real = judge.prepare

    def sometimes(student, *rest, **more):
        if student == "bob":
            raise MemoryError
        return real(student, *rest, **more)

    monkeypatch.setattr(judge, "prepare", sometimes)
    graded = classroom.grade()
    assert {name for name, g in graded.items() if g.problem} == {"bob"}
    assert classroom.scores("ada") == classroom.scores("eve") == FULL


def test_a_score_given_by_hand_stays(classroom):
    from nbgrader.api import Gradebook

    classroom.hand_in("ada")
    classroom.grade()
    with Gradebook(f"sqlite:///{classroom.tree.database}") as book:
        book.find_grade("toy-kernel", toy.NAME, toy.NAME, "ada").manual_score = 7
        book.db.commit()
    classroom.grade(force=True)
    with Gradebook(f"sqlite:///{classroom.tree.database}") as book:
        grade = book.find_grade("toy-kernel", toy.NAME, toy.NAME, "ada")
        assert (grade.score, grade.needs_manual_grade) == (7, False)


def test_what_has_not_changed_is_not_graded_again(classroom, monkeypatch):
    classroom.hand_in("ada")
    before = classroom.grade()["ada"].result
    monkeypatch.setattr("grader.classroom.worker.perform", None)
    again = classroom.grade()["ada"]
    assert again.unchanged and again.result == before


def test_a_run_that_ended_before_the_gradebook_is_taken_up(classroom, monkeypatch):
    from grader.classroom.gradebook import GradebookWriter

    classroom.hand_in("ada")
    with monkeypatch.context() as patch:
        patch.setattr(GradebookWriter, "write", lambda *_, **__: (_ for _ in ()).throw(OSError("killed")))
        assert classroom.grade()["ada"].problem
    monkeypatch.setattr("grader.classroom.worker.perform", None)  # the verdict was kept
    assert not classroom.grade()["ada"].problem
    assert classroom.scores("ada") == FULL


def test_the_seed_is_of_the_student_and_reproducible(classroom):
    classroom.hand_in("ada")
    classroom.hand_in("bob")
    graded = classroom.grade()
    key = secret.read(classroom.tree.secret)
    seeds = {name: g.result.seeds["toy-kernel"] for name, g in graded.items()}
    assert seeds["ada"] != seeds["bob"]
    assert seeds["ada"] == secret.hidden_seed(key, toy.NAME, "toy-kernel", "ada")
    stored = json.loads(classroom.tree.result("ada", toy.NAME).read_text())
    assert stored["seeds"]["toy-kernel"] == stored["verdicts"]["toy-kernel"]["seed"] == seeds["ada"]


def test_names_do_not_run_together_in_a_seed():
    key = bytes(32)
    assert secret.hidden_seed(key, "a", "bc", "d") != secret.hidden_seed(key, "ab", "c", "d")


def test_a_secret_that_others_can_read_is_refused(classroom):
    classroom.tree.secret.chmod(0o644)
    classroom.hand_in("ada")
    with pytest.raises(ClassroomError, match="chmod 600"):
        classroom.grade()


def test_a_result_survives_its_file(classroom):
    classroom.hand_in("ada", cu="half")
    result = classroom.grade()["ada"].result
    assert Result.read(classroom.tree.result("ada", toy.NAME)) == result
    assert classroom.tree.result("ada", toy.NAME).stat().st_mode & 0o077 == 0


def test_only_one_run_at_a_time(classroom):
    from grader.classroom.autograde import only_one

    classroom.hand_in("ada")
    with only_one(classroom.tree), pytest.raises(ClassroomError, match="another grading run"):
        classroom.grade()


def test_a_late_submission_gets_nbgraders_penalty(classroom):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{classroom.tree.database}") as book:
        book.update_or_create_assignment(toy.NAME, duedate="2026-01-01 00:00:00 UTC")
    with classroom.tree.config.open("a") as file:
        file.write("\nfrom nbgrader.plugins import LateSubmissionPlugin\n"
                   "class Late(LateSubmissionPlugin):\n"
                   "    def late_submission_penalty(self, student, score, seconds):\n"
                   "        return 2.5\n"
                   "c.AssignLatePenalties.plugin_class = Late\n")  # fmt: skip
    classroom.hand_in("ada", **{"timestamp.txt": b"2026-01-02 00:00:00 UTC"})
    classroom.hand_in("bob", **{"timestamp.txt": b"2025-12-31 00:00:00 UTC"})
    classroom.hand_in("cyd", cu="wrong", book=toy.notebook(), **{"timestamp.txt": b"2026-01-02 00:00:00 UTC"})
    classroom.hand_in("dan", **{"timestamp.txt": b"yesterday, I think"})
    classroom.grade()
    with Gradebook(f"sqlite:///{classroom.tree.database}") as book:
        found = {s.student.id: s.late_submission_penalty for s in book.assignment_submissions(toy.NAME)}
    assert found == {"ada": 2.5, "bob": 0, "cyd": 0, "dan": 0}  # never more than there is to lose


def test_lateness_is_counted_as_nbgrader_counts_it(classroom):
    with classroom.tree.config.open("a") as file:
        file.write("\nfrom nbgrader.plugins import LateSubmissionPlugin\n"
                   "class Late(LateSubmissionPlugin):\n"
                   "    def late_submission_penalty(self, student, score, seconds):\n"
                   "        return seconds / 3600\n"
                   "c.AssignLatePenalties.plugin_class = Late\n")  # fmt: skip
    handed_in = {"ada": "2026-01-01 03:00:00 UTC", "bob": "2026-01-01 05:00:00 UTC", "cyd": "2026-01-01 02:00:00 UTC"}
    for student, stamp in handed_in.items():
        classroom.hand_in(student, **{"timestamp.txt": stamp.encode()})
    classroom.grade()
    with classroom.book() as book:
        book.update_or_create_assignment(toy.NAME, duedate="2026-01-01 00:00:00 UTC")
        for student in ("bob", "cyd"):
            book.grant_extension(toy.NAME, student, hours=2)
        seconds = {s.student.id: s.total_seconds_late for s in book.assignment_submissions(toy.NAME)}
    classroom.grade(force=True)
    with classroom.book() as book:
        found = {s.student.id: s.late_submission_penalty for s in book.assignment_submissions(toy.NAME)}
    assert found == {"ada": 3, "bob": 3, "cyd": 0} == {student: late / 3600 for student, late in seconds.items()}


# The rows, and the notebook.


def test_a_submissions_rows_are_those_that_nbgrader_would_make(classroom):
    classroom.hand_in("ada")
    classroom.grade()
    with classroom.book() as book:
        book.add_student("bob", last_name="bob", first_name="")
        book.add_submission(toy.NAME, "bob")
        rows = []
        for student in ("ada", "bob"):
            submission = book.find_submission(toy.NAME, student)
            (notebook,) = submission.notebooks
            cells = sorted(g.name for g in notebook.grades), sorted(c.name for c in notebook.comments)
            named = submission.student.first_name, submission.student.last_name == student
            rows.append((notebook.name, notebook.flagged, cells, named, submission.max_score))
    assert rows[0] == rows[1]


def test_rows_of_a_submission_are_there_together_or_not_at_all(classroom, monkeypatch):
    from grader.classroom import rows

    def broken(db, notebook):
        raise RuntimeError("in the middle")

    classroom.hand_in("ada")
    with monkeypatch.context() as patch:
        patch.setattr(rows, "comments", broken)
        assert "in the middle" in classroom.grade()["ada"].problem
    with classroom.book() as book:
        assert book.students == [] and book.assignment_submissions(toy.NAME) == []
    assert not classroom.grade()["ada"].problem and classroom.scores("ada") == FULL


def test_the_autograded_notebook_keeps_to_the_format(classroom):
    import nbformat

    classroom.hand_in("ada", cu="hidden")
    classroom.hand_in("bob", cu=None, book=b"{")  # with notes above it
    classroom.grade()
    for student in ("ada", "bob"):
        nbformat.validate(classroom.autograded(student))


@pytest.mark.parametrize("name", ["toy.cu", "timestamp.txt", f"{toy.NAME}.ipynb"])
def test_a_file_that_a_power_failure_left_empty_is_written_again(classroom, name):
    classroom.hand_in("ada", **{"timestamp.txt": b"2026-01-01 03:00:00 UTC"})
    classroom.grade()
    assert classroom.grade()["ada"].unchanged
    path = classroom.tree.autograded("ada", toy.NAME) / name
    before = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(b"")
    assert not classroom.grade()["ada"].unchanged and path.read_bytes() == before


def test_all_is_on_the_disk_when_a_run_ends(classroom, monkeypatch):
    def settle(place):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(place))

    classroom.hand_in("ada")
    with monkeypatch.context() as patch:
        patch.setattr(durable, "settle", settle)
        with pytest.raises(Stopped, match="A disk is full"):
            classroom.grade()
    durable.settle(classroom.tree.root)
    assert classroom.grade()["ada"].unchanged
