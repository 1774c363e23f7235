"""Many submissions: workers that die or hang, what is judged again and what not, runs that are interrupted."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import classroom_toy as toy
import pytest
from grading_kills import differences, state
from typer.testing import CliRunner

from grader.classroom import autograde, crew, durable, material, worker
from grader.classroom.errors import ClassroomError, Stopped
from grader.classroom.result import Result
from grader.classroom.run import Run
from grader.cli.main import app
from grader.sandbox import confinement
from grader.verdict import State

HERE = Path(__file__).parent
FULL = {"toy-kernel": (10, False), "toy-cell": (10, False), "toy-explain": (None, True)}


def autograde_command(*words):
    return CliRunner().invoke(app, ["autograde", *map(str, words)])


def test_a_task_names_no_student(classroom, monkeypatch):
    seen = []
    stock = worker.perform
    monkeypatch.setattr(worker, "perform", lambda text: seen.append(text) or stock(text))
    classroom.hand_in("a-name-that-stands-nowhere-else")
    classroom.grade()
    assert seen and b"a-name-that" not in seen[0]


def test_a_worker_that_dies_or_hangs_is_a_fault_of_that_exercise_alone(classroom, workers, monkeypatch):
    monkeypatch.setattr(crew, "patience", lambda task: 2.0)
    answers = {"ada": "right", "bob": "die", "cyd": "hang", "dan": "half"}
    for student, answer in answers.items():
        classroom.hand_in(student, cu=answer)
    graded = classroom.grade(jobs=2)
    assert not any(g.problem for g in graded.values())
    for student, told in (("bob", "SIGKILL"), ("cyd", "after 2 seconds")):
        verdict = graded[student].result.verdicts["toy-kernel"]
        assert verdict.state is State.GRADER_FAULT and told in verdict.checks[0].message
        assert classroom.scores(student) == FULL | {"toy-kernel": (None, True)}
    assert classroom.scores("ada") == FULL and classroom.scores("dan")["toy-kernel"] == (6, False)


def test_one_and_two_jobs_come_to_the_same(classroom, workers, tmp_path):
    for number, answer in enumerate(["right", "half", "hidden", "pending", "boom", "wrong"]):
        classroom.hand_in(f"s{number}", cu=answer)
    shutil.copytree(classroom.tree.root, tmp_path / "two")
    classroom.grade(jobs=1)
    config = tmp_path / "two" / "nbgrader_config.py"
    two = toy.Classroom(type(classroom.tree)(config.parent))
    two.grade(jobs=2)
    assert not differences(state(classroom.tree.root), state(two.tree.root))


def test_few_submissions_are_in_memory_at_a_time(classroom, monkeypatch):
    from grader.classroom.batch import Batch

    most, real = [], Batch._submit

    def submit(self, *arguments):
        real(self, *arguments)
        most.append(len(self._under_way))

    monkeypatch.setattr(Batch, "_submit", submit)
    for number in range(8):
        classroom.hand_in(f"s{number}")
    classroom.grade()
    assert len(most) == 8 and max(most) == 1


def test_a_full_disk_at_the_worker_is_a_fault_and_not_a_lost_point(classroom, monkeypatch):
    classroom.hand_in("ada", cu="wrong")
    monkeypatch.setattr(worker, "ENOUGH_DISK", 1 << 62)
    verdict = classroom.grade()["ada"].result.verdicts["toy-kernel"]
    assert verdict.state is State.GRADER_FAULT and "are free" in verdict.checks[0].message


# What is judged again.


@pytest.fixture
def judged(monkeypatch):
    """The exercises that were judged since it was last emptied."""
    found = []
    monkeypatch.setattr(material, "check", lambda e, d, **more: found.append(e.slug) or toy.check(e, d, **more))
    return found


def test_a_changed_check_judges_that_exercise_again_and_no_other(classroom, judged, monkeypatch):
    for student in ("ada", "bob"):
        classroom.hand_in(student)
    first = classroom.grade()
    assert sorted(judged) == ["toy-cell", "toy-cell", "toy-kernel", "toy-kernel"]
    kept = {student: graded.result.verdicts["toy-cell"] for student, graded in first.items()}
    judged.clear()
    monkeypatch.setattr(material, "judging", lambda e: "another" if e.slug == "toy-kernel" else f"{e.slug} 1")
    again = classroom.grade()
    assert judged == ["toy-kernel", "toy-kernel"]
    assert {student: graded.result.verdicts["toy-cell"] for student, graded in again.items()} == kept
    judged.clear()
    assert all(graded.unchanged for graded in classroom.grade().values()) and not judged


def test_a_changed_answer_judges_that_exercise_again_and_no_other(classroom, judged):
    folder = classroom.hand_in("ada")
    classroom.grade()
    judged.clear()
    (folder / "toy.cu").write_text("half")
    classroom.grade()
    assert judged == ["toy-kernel"] and classroom.scores("ada")["toy-kernel"] == (6, False)


def test_what_failed_in_the_grader_or_waits_is_tried_again(classroom, judged, monkeypatch):
    classroom.hand_in("ada", cu="pending")
    classroom.hand_in("bob", cu="boom")
    classroom.grade()
    judged.clear()
    classroom.grade()
    assert judged == ["toy-kernel", "toy-kernel"]


def test_the_keys_of_real_exercises_follow_their_checks(tmp_path):
    """In a copy of the clone, as far as keys read it."""
    from grader.course import Tree
    from grader.proof import keys
    from grader.proof.answer import Place

    tree = material.tree()
    for part in ("course", "grader", "requirements.lock"):
        source = tree.root / part
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, tmp_path / part, ignore=ignored) if source.is_dir() else shutil.copy(source, tmp_path)
    forward, cases, backward = material.chapter(10).exercises
    before = {e.slug: keys.judging(Place(Tree(tmp_path).root, e)) for e in (forward, cases, backward)}
    assert len(set(before.values())) == 3 and before[forward.slug] == material.judging(forward)
    module = tmp_path / "grader" / "exercises" / "ch10_masked_gelu" / "masked_gelu_cases.py"
    module.write_text(module.read_text() + "\n# another check\n")
    after = {e.slug: keys.judging(Place(Tree(tmp_path).root, e)) for e in (forward, cases, backward)}
    assert [slug for slug in before if before[slug] != after[slug]] == [cases.slug]


def test_force_judges_all_again_but_what_a_resumed_run_did_already(classroom, judged, monkeypatch):
    for student in ("ada", "bob", "cyd"):
        classroom.hand_in(student)
    classroom.grade()
    judged.clear()
    real = Result.write

    def write(self, path):
        real(self, path)
        if self.student == "bob":
            raise KeyboardInterrupt

    run = Run(assignments=(toy.NAME,), student="*", asked={})
    with monkeypatch.context() as patch:
        patch.setattr(Result, "write", write)
        with pytest.raises(Stopped, match="1 of 3") as stopped:
            classroom.grade(force=True, run=run)
    assert stopped.value.status == 130 and len(judged) == 4
    judged.clear()
    classroom.grade(force=True, run=Run.read(classroom.tree))
    assert len(judged) == 2  # cyd's


# Runs.


def test_there_is_nothing_to_resume(classroom):
    done = autograde_command("--resume", "--course", classroom.tree.root)
    assert done.exit_code == 2 and "nothing to resume" in done.output and "Traceback" not in done.output


def test_a_damaged_record_and_other_choices_beside_resume_are_told(classroom):
    classroom.hand_in("ada")
    (classroom.tree.root / "results" / "run.json").write_text("{")
    done = autograde_command("--resume", "--course", classroom.tree.root)
    assert done.exit_code == 2 and "run.json" in done.output
    done = autograde_command("10", "--resume", "--course", classroom.tree.root)
    assert done.exit_code == 2 and "--resume goes on" in done.output
    done = autograde_command("10", "--trust-submissions", "--course", classroom.tree.root)
    assert done.exit_code == 0 and not (classroom.tree.root / "results" / "run.json").exists()


def test_a_refusal_says_what_blocks_and_how_to_mend_it(classroom, monkeypatch):
    probe = confinement.Probe("bubblewrap", False, "the kernel forbids user namespaces", "sysctl kernel.x=1")
    monkeypatch.setattr(confinement, "best", lambda: probe)
    classroom.hand_in("ada")
    done = autograde_command("10", "--course", classroom.tree.root)
    assert done.exit_code == 2
    for told in ("forbids user namespaces", "sysctl kernel.x=1", "--trust-submissions", "grader doctor"):
        assert told in done.output
    assert not classroom.tree.result("ada", toy.NAME).exists()


@pytest.mark.parametrize("by", ["command", "configuration"])
def test_what_is_graded_is_confined_as_was_chosen(classroom, monkeypatch, by):
    """By the command's option or the class's configuration, through to the worker."""
    used = []
    monkeypatch.setattr(material, "check", lambda *a, **k: used.append(confinement.current()) or toy.check(*a, **k))
    monkeypatch.setattr(confinement, "probe", lambda kind: confinement.Probe(kind, True, "works"))
    classroom.hand_in("ada")
    words = []
    if by == "command":
        words = ["--confine", "landlock"]
    else:
        config = classroom.tree.config
        config.write_text(config.read_text().replace('confine = "auto"', 'confine = "landlock"'))
    done = autograde_command("10", *words, "--course", classroom.tree.root)
    assert done.exit_code == 0, done.output
    assert used == ["landlock"] * 2


def test_a_large_class_is_told_in_short(classroom, monkeypatch):
    monkeypatch.setattr("grader.classroom.report._MOST_ROWS", 2)
    for student in ("ada", "bob", "cyd"):
        classroom.hand_in(student, cu="boom" if student == "bob" else "right")
    done = autograde_command("10", "--trust-submissions", "--course", classroom.tree.root)
    assert done.exit_code == 3
    assert "bob" in done.output and "ada" not in done.output and "3 submissions" in done.output


def test_ctrl_c_stops_cleanly_and_a_second_run_is_refused_meanwhile(classroom, toy_course):
    for number in range(10):
        classroom.hand_in(f"s{number}", cu="right slow slow")
    root = classroom.tree.root
    start = (
        f"import sys, pathlib; sys.path.insert(0, {str(HERE)!r})\nimport classroom_toy as toy\n"
        f"toy.patch(pathlib.Path({str(toy_course)!r}), workers=True)\n"
        "from grader.cli.main import app; app()"
    )
    words = ["autograde", "10", "--trust-submissions", "--jobs", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", start, *words], cwd=root, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        until = time.monotonic() + 60
        while not list(root.glob("results/*/*/result.json")) and time.monotonic() < until:
            time.sleep(0.02)
        with pytest.raises(ClassroomError, match="another grading run"):
            classroom.grade()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, told
    assert "of 10 submissions are graded" in told and "grader autograde --resume" in told and "Traceback" not in told
    done = autograde_command("--resume", "--course", root)
    assert done.exit_code == 0, done.output
    assert all(classroom.scores(f"s{number}") == FULL for number in range(10))


def test_a_killed_run_ends_as_an_undisturbed_one():
    """Two moments and two steps; 20 and every step are in `make attack`."""
    script = [sys.executable, HERE / "grading_kills.py", "--moments", "2", "--steps", "2"]
    done = subprocess.run(script, capture_output=True, text=True, timeout=600)
    print(done.stdout)  # the seed
    assert done.returncode == 0, done.stdout + done.stderr


# A full disk.


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 4 MB."""
    place = tmp_path / "small"
    place.mkdir()
    options = "size=4m,mode=700"
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"only root can mount a small disk: {made.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_a_full_disk_stops_the_run_and_the_next_completes_it(classroom, small_disk):
    for number in range(6):
        classroom.hand_in(f"s{number}", cu="half")
    calm = classroom.tree.root
    root = small_disk / "class"
    shutil.copytree(calm, root)
    assert autograde_command("10", "--trust-submissions", "--course", calm).exit_code == 0
    expected, stopped = state(calm), 0
    filler = small_disk / "filler"
    for free in (0, 4, 16, 40, 80, 120, 200, 400):  # KiB: the disk is full at another step each time
        _leave_free(filler, free << 10)
        done = autograde_command(*(_again(root)), "--course", root)
        filler.unlink()
        assert done.exit_code in (0, 3) and "Traceback" not in done.output, done.output
        if done.exit_code == 3:
            stopped += 1
            assert "disk is full" in done.output and "--resume" in done.output, done.output
    assert stopped >= 4
    assert autograde_command(*(_again(root)), "--course", root).exit_code == 0
    assert not differences(expected, state(root))


def _again(root):
    resume = (root / "results" / "run.json").exists()
    return ["--resume"] if resume else ["10", "--trust-submissions"]


def _leave_free(filler, wanted):
    with filler.open("wb") as file:
        while (free := shutil.disk_usage(filler.parent).free) > wanted:
            file.write(b"\0" * min(free - wanted, 1 << 16))
            file.flush()


def test_what_a_full_disk_is_known_by(tmp_path):
    assert durable.disk_is_full(OSError(errno.ENOSPC, "x"), tmp_path)
    wrapped = ClassroomError("the gradebook: (sqlite3.OperationalError) database or disk is full")
    assert durable.disk_is_full(wrapped, tmp_path)
    assert not durable.disk_is_full(OSError(errno.EACCES, "x"), tmp_path)


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "kept"
    durable.write(path, b"old")
    monkeypatch.setattr(os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    with pytest.raises(OSError):
        durable.write(path, b"new")
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["kept"]
    place = tmp_path / "folder"
    place.mkdir()
    (place / "file").write_bytes(b"old")
    with pytest.raises(OSError):
        durable.write_folder(place, {"file": b"new", "no folder/file": b"new"}, 0o444)
    assert (place / "file").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 2


def test_the_button_asks_the_api_to_force_and_nothing_is_judged_twice(classroom, judged):
    from nbgrader.apps.api import NbGraderAPI

    from grader.classroom.session import Session

    classroom.hand_in("ada")
    classroom.grade()
    judged.clear()
    shutil.rmtree(classroom.tree.autograded("ada", toy.NAME))
    config = classroom.tree.config
    config.write_text(config.read_text().replace("trust_submissions = False", "trust_submissions = True"))
    session = Session(classroom.tree)
    assert NbGraderAPI(session.course, config=session.config).autograde(toy.NAME, "ada")["success"]
    assert not judged and classroom.autograded("ada") and classroom.scores("ada") == FULL


def test_the_refusal_fits_the_formgraders_box():
    lines = autograde.REFUSAL.format(found="").splitlines()
    assert max(map(len, lines)) <= 62
