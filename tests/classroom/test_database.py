"""A class whose gradebook is kept by a PostgreSQL server: a real one, with a password and names full of signs."""

import csv
import datetime
import itertools
import logging
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading

import classroom_toy as toy
import psycopg
import pytest
from classroom_toy import Classroom
from postgres_server import PASSWORD, USER
from typer.testing import CliRunner

from grader.classroom import database
from grader.classroom.errors import ClassroomError
from grader.classroom.result import Result
from grader.classroom.session import Session
from grader.classroom.tree import ClassTree

FULL = {"toy-kernel": (10, False), "toy-cell": (10, False), "toy-explain": (None, True)}
COURSE = "tensorrt-plugins"
names = (f"class of {2030 + n}" for n in itertools.count())


@pytest.fixture(scope="session")
def released_there(postgres, toy_root, tmp_path_factory):
    """A class made with `--database`, its chapter released: tree and database are copied for each test."""
    from grader.classroom.create import create

    with pytest.MonkeyPatch.context() as patch:
        toy.patch(toy_root, patch.setattr)
        root = tmp_path_factory.mktemp("department") / "class"
        tree, _ = create(root, database=postgres.new_database("released there"))
        session = Session(tree)
        session.release(toy.NAME)
        session.mark_released(toy.NAME)
    return tree


@pytest.fixture
def department(postgres, released_there, toy_course, tmp_path):
    """An instructor's tree whose gradebook is a database of its own."""
    name = next(names)
    postgres.execute(f'create database "{name}" template "released there"')
    shutil.copytree(released_there.root, tmp_path / "class")
    tree = ClassTree(tmp_path / "class")
    point_at(tree, postgres.address("released there"), postgres.address(name))
    made = Classroom(tree)
    made.server, made.name = postgres, name
    return made


def point_at(tree, old, new):
    text = tree.config.read_text()
    assert repr(old) in text
    tree.config.write_text(text.replace(repr(old), repr(new)))


def test_a_class_from_release_to_export(department):
    department.hand_in("ada")
    department.hand_in("Ärger, o'Brien", cu="half")
    department.hand_in("=eve", cu=toy.SKELETON, book=toy.notebook())
    graded = department.grade()
    assert not [g.problem for g in graded.values() if g.problem]
    assert department.scores("ada") == FULL
    assert department.scores("Ärger, o'Brien") == FULL | {"toy-kernel": (6, False)}
    assert department.scores("=eve") == dict.fromkeys(FULL, (0, False))
    assert not department.tree.database.exists()
    page = department.feedback("ada")
    assert "20 of 23 points, 3 waiting" in page and "p@ss" not in page
    path = department.tree.root / "grades.csv"
    assert Session(department.tree).export(path) == 3
    rows = {row["student_id"]: row for row in csv.DictReader(path.open())}
    assert (rows["ada"]["score"], rows["ada"]["pending"], rows["ada"]["max_score"]) == ("20.0", "3.0", "23.0")
    assert rows["Ärger, o'Brien"]["toy-kernel"] == "6.0" and rows["'=eve"]["score"] == "0.0"


def test_what_has_not_changed_is_not_graded_again_and_what_has_is(department):
    folder = department.hand_in("ada")
    department.grade()
    assert department.grade()["ada"].unchanged
    (folder / "toy.cu").write_text("half")
    assert not department.grade()["ada"].unchanged
    assert department.scores("ada") == FULL | {"toy-kernel": (6, False)}


def test_scores_by_hand_and_a_late_penalty(department):
    config = department.tree.config
    (department.tree.root / "late.py").write_text(
        "from nbgrader.plugins import BasePlugin\n"
        "class TwoPoints(BasePlugin):\n"
        "    def late_submission_penalty(self, student, score, seconds):\n"
        "        return seconds / 1800\n"
    )
    config.write_text(
        config.read_text() + "\nimport sys; sys.path.insert(0, str(Path(__file__).parent))\n"
        "from late import TwoPoints\nc.AssignLatePenalties.plugin_class = TwoPoints\n"
    )
    with department.book() as book:
        book.update_or_create_assignment(toy.NAME, duedate="2030-05-01 12:00:00 UTC")
    department.hand_in("ada", **{"timestamp.txt": b"2030-05-01 13:00:00 UTC"})
    department.grade()
    with department.book() as book:
        submission = book.find_submission(toy.NAME, "ada")
        assert (submission.total_seconds_late, submission.late_submission_penalty) == (3600, 2)
        assert submission.timestamp == datetime.datetime(2030, 5, 1, 13)
        book.find_grade("toy-explain", toy.NAME, toy.NAME, "ada").manual_score = 2.5
        book.find_comment("toy-explain", toy.NAME, toy.NAME, "ada").manual_comment = "Well put: ½ £ 好"
        book.db.commit()
    department.grade(force=True)
    with department.book() as book:
        assert book.find_submission(toy.NAME, "ada").score == 22.5
        assert book.find_grade("toy-explain", toy.NAME, toy.NAME, "ada").needs_manual_grade
    assert "Well put: ½ £ 好" in department.feedback("ada")


def test_what_the_formgraders_pages_ask_for(department):
    from nbgrader.apps.api import NbGraderAPI

    department.hand_in("ada")
    department.hand_in("bob", cu="half")
    department.grade()
    session = Session(department.tree)
    api = NbGraderAPI(session.course, config=session.config)
    [assignment] = api.get_assignments()
    assert (assignment["num_submissions"], assignment["average_score"]) == (2, 18.0)
    assert [s["score"] for s in api.get_submissions(toy.NAME)] == [20.0, 16.0]
    assert {s["id"]: s["score"] for s in api.get_students()} == {"ada": 20.0, "bob": 16.0}
    assert api.get_notebooks(toy.NAME)[0]["average_code_score"] == 18.0
    assert {s["score"] for s in api.get_notebook_submissions(toy.NAME, toy.NAME)} == {20.0, 16.0}
    assert api.get_student_submissions("ada")[0]["needs_manual_grade"]
    assert api.get_notebook_submission_indices(toy.NAME, toy.NAME)


def test_a_student_can_be_forgotten(department):
    from grader.classroom.forget import find, forget

    department.hand_in("ada")
    department.hand_in("bob")
    department.grade()
    assert any("comments; assignments: 1" in line for line in find(department.tree, "ada"))
    forget(department.tree, "ada")
    with department.book() as book:
        assert [student.id for student in book.students] == ["bob"]
    assert department.scores("bob") == FULL
    assert department.server.execute("select count(*) from grade", department.name) == [(3,)]


def test_nbgraders_own_upgrade(department):
    """The address holds % signs, which alembic's ini file would take for something else."""
    command = [sys.executable, "-m", "nbgrader", "db", "upgrade"]
    done = subprocess.run(command, cwd=department.tree.root, capture_output=True, text=True)
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    assert f"postgresql+psycopg://{USER}:***@" in told and secret_free(told)


def test_a_long_name_is_told_and_stops_nobody_else(department):
    department.hand_in("x" * 129)
    department.hand_in("ada")
    graded = department.grade()
    assert "longer than the 128 characters" in graded["x" * 129].problem
    assert department.scores("ada") == FULL


def test_a_second_run_on_the_same_gradebook_is_refused_from_another_machine_too(department, tmp_path):
    department.hand_in("ada")
    shutil.copytree(department.tree.root, tmp_path / "copy")
    other = Classroom(ClassTree(tmp_path / "copy"))
    other.tree.config.write_text(other.tree.config.read_text())
    address = Session(department.tree).course.db_url
    book = database.open_book(address, COURSE)
    with book, database.only_writer(book.engine, address):
        with pytest.raises(ClassroomError, match=r"another grading run is writing to .*, since \d\d:\d\d from "):
            other.grade()
    assert not other.grade()["ada"].problem


def test_a_person_corrects_scores_while_a_run_writes(department):
    students = [f"s{n:02}" for n in range(12)]
    for student in students:
        department.hand_in(student)
    department.grade()
    problems = []

    def by_hand():
        try:
            with department.book() as book:
                for student in students:
                    book.find_grade("toy-explain", toy.NAME, toy.NAME, student).manual_score = 1
                    book.db.commit()
        except Exception as problem:
            problems.append(problem)

    person = threading.Thread(target=by_hand)
    person.start()
    graded = department.grade(force=True)
    person.join()
    assert not problems and not [g.problem for g in graded.values() if g.problem]
    with department.book() as book:
        assert [book.find_submission(toy.NAME, s).score for s in students] == [21] * len(students)


def test_a_server_that_goes_in_the_middle_costs_no_verdict(department, monkeypatch, caplog):
    from grader.classroom.gradebook import GradebookWriter

    for student in ("ada", "bob", "eve"):
        department.hand_in(student)
    write = GradebookWriter.write

    def outage(self, chapter, release, submission, result, **options):
        if result.student == "bob":
            department.server.stop(signal.SIGQUIT)
        write(self, chapter, release, submission, result, **options)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(GradebookWriter, "write", outage)
            try:
                told = "; ".join(g.problem for g in department.grade().values())
            except ClassroomError as problem:
                told = str(problem)
        assert "could not be used" in told and "run the same command" in told and department.name in told
        assert secret_free(told + caplog.text)
        with pytest.raises(ClassroomError, match="could not be used"):
            Session(department.tree).export(department.tree.root / "grades.csv")
    finally:
        department.server.start()
    assert not [g.problem for g in department.grade().values() if g.problem]
    assert [department.scores(student) for student in ("ada", "bob", "eve")] == [FULL] * 3
    assert Result.read(department.tree.result("bob", toy.NAME)).verdicts["toy-kernel"].passed


def test_a_server_that_hung_up_between_two_submissions_is_called_again(department, monkeypatch):
    from grader.classroom.gradebook import GradebookWriter

    for student in ("ada", "bob"):
        department.hand_in(student)
    write = GradebookWriter.write

    def hang_up(self, *arguments, **options):
        department.server.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname is not null and pid <> pg_backend_pid()"
        )
        write(self, *arguments, **options)

    monkeypatch.setattr(GradebookWriter, "write", hang_up)
    assert not [g.problem for g in department.grade().values() if g.problem]
    assert department.scores("bob") == FULL


def test_a_wrong_password_is_told_and_not_repeated(department, caplog):
    wrong = PASSWORD.replace("p@ss", "p@sS")
    point_at(department.tree, department.server.address(department.name),
             department.server.address(department.name, wrong))  # fmt: skip
    department.hand_in("ada")
    for action in (
        lambda: department.grade(),
        lambda: Session(department.tree).release(toy.NAME),
        lambda: Session(department.tree).export(department.tree.root / "grades.csv"),
    ):
        with pytest.raises(ClassroomError, match="password authentication failed") as told:
            action()
        assert secret_free(str(told.value) + caplog.text)


def test_a_password_may_lie_in_pgpass(department, monkeypatch, tmp_path):
    file = tmp_path / "pgpass"
    escaped = PASSWORD.replace("\\", "\\\\").replace(":", "\\:")
    file.write_text(f"*:*:*:{USER}:{escaped}\n")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))
    address = department.server.address(department.name)
    bare = address.replace(address.split("://")[1].rsplit("@", 1)[0], USER)
    assert "p%40ss" not in bare
    point_at(department.tree, address, bare)
    department.hand_in("ada")
    department.grade()
    assert department.scores("ada") == FULL


def test_two_classes_share_a_server_by_schemas_and_not_a_database(department, tmp_path):
    address = department.server.address(department.name)
    with pytest.raises(ClassroomError, match="holds the gradebook of the course tensorrt-plugins"):
        database.check(address, "another-course")
    department.server.execute("create schema other", department.name)
    apart = f"{address}&options=-csearch_path%3Dother"
    with database.open_book(address, COURSE) as one, database.open_book(apart, "another-course") as two:
        with database.only_writer(one.engine, address), database.only_writer(two.engine, apart):
            pass  # each may be written to while the other is


def test_a_database_with_other_tables_gets_the_schemas_version_too(postgres):
    address = postgres.new_database(next(names))
    name = address.split("/")[-1].split("?")[0]
    postgres.execute("create table someone_elses (id int)", name)
    database.check(address, COURSE)
    assert len(postgres.execute("select version_num from alembic_version", name)) == 1


def test_init_tries_the_database_first_and_keeps_its_configuration_private(postgres, toy_course, tmp_path):
    from grader.classroom.commands import app

    there = postgres.new_database(next(names))
    lost = postgres.address("no such database")
    done = CliRunner().invoke(app, ["init", str(tmp_path / "a"), "--database", lost])
    assert done.exit_code == 2 and 'database "no such database" does not exist' in done.output
    assert not (tmp_path / "a").exists() and secret_free(done.output)
    done = CliRunner().invoke(app, ["init", str(tmp_path / "a"), "--database", there])
    assert done.exit_code == 0 and secret_free(done.output), done.output
    assert (tmp_path / "a" / "nbgrader_config.py").stat().st_mode & 0o077 == 0
    assert Session(ClassTree(tmp_path / "a")).course.db_url == there
    done = CliRunner().invoke(app, ["init", str(tmp_path / "a"), "--database", there])
    assert done.exit_code == 2 and "is there already" in done.output


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("what?", "is not the address of a database"),
        ("postgresql+psycopg://me:se cr/et@host:port/x", "is not the address of a database"),
        ("nosql://me:secret@host/x", "nosql://me:***@host/x: there is no such kind"),
        (
            "postgresql+psycopg2://me:secret@host/x",
            "its driver psycopg2 is not installed; PostgreSQL's is psycopg here",
        ),
        ("postgresql+psycopg://me:secret@127.0.0.1:1/x", "***@127.0.0.1:1/x could not be used"),
    ],
)
def test_an_address_that_leads_nowhere(address, told):
    with pytest.raises(ClassroomError) as problem:
        database.check(address, COURSE)
    assert told in str(problem.value) and "secret" not in str(problem.value) and "se cr" not in str(problem.value)


def test_a_file_that_another_program_holds_is_waited_for(classroom):
    classroom.hand_in("ada")
    holder = sqlite3.connect(classroom.tree.database, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN EXCLUSIVE")
    letting_go = threading.Timer(1, holder.execute, ["ROLLBACK"])
    letting_go.start()
    assert not classroom.grade()["ada"].problem
    letting_go.join()
    assert classroom.scores("ada") == FULL


def test_a_file_that_is_never_let_go_is_told(classroom, monkeypatch):
    classroom.hand_in("ada")
    holder = sqlite3.connect(classroom.tree.database, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(ClassroomError, match="another program holds the gradebook"):
        database.check(f"sqlite:///{classroom.tree.database}?timeout=0.1", COURSE)
    holder.execute("ROLLBACK")


def secret_free(text):
    """The password stands nowhere in it, neither plain nor as in an address."""
    encoded = psycopg.conninfo.make_conninfo(password=PASSWORD).split("=", 1)[1]
    return not {PASSWORD, "p%40ss", "p%%40ss", "p@ss", encoded} & {
        form for form in (PASSWORD, "p%40ss", "p%%40ss", "p@ss", encoded) if form in text
    }


def test_passwords_are_hidden_wherever_an_address_is_logged():
    record = logging.makeLogRecord({"msg": "Upgrading %s now", "args": ("postgresql+psycopg://a b:x%40/y z@h/d?c=1",)})
    database._hide_passwords(record)
    assert record.getMessage() == "Upgrading postgresql+psycopg://a b:***@h/d?c=1 now"
