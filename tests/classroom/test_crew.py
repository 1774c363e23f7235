"""Those who do the tasks: worker processes that die, hang and are replaced."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import classroom_toy as toy
import pytest

from grader.classroom import crew, material, worker
from grader.classroom.crew import LocalCrew
from grader.classroom.task import Answer, Task
from grader.sandbox import confinement


def task(cu="right", exercises=("toy-kernel", "toy-cell"), **more):
    more = {"confinement": None} | more
    cells = {"toy-cell-answer": "def answer():\n    return 'right'"}
    return Task(
        chapter=toy.NAME, exercises=exercises, files={"toy.cu": cu.encode()}, cells=cells,
        seeds={"toy-kernel": 1, "toy-cell": 2}, **more,
    )  # fmt: skip


def test_a_task_and_its_answer_are_plain_bytes(toy_course):
    text = task(cu="half").to_bytes()
    assert json.loads(text) and Task.from_bytes(text) == task(cu="half")
    answer = Answer.from_bytes(worker.perform(text))
    assert {slug: verdict.earned for slug, verdict in answer.verdicts.items()} == {"toy-kernel": 6, "toy-cell": 10}
    assert answer.verdicts["toy-kernel"].seed == 1 and answer.log == ""
    for broken in (b"", b"[]", b'{"verdicts": 7}', b'{"verdicts": {"a": {}}, "seconds": 0, "log": ""}'):
        with pytest.raises(ValueError):
            Answer.from_bytes(broken)


def test_what_is_judged_lies_beside_the_courses_own_files(toy_course, tmp_path):
    worker.stage(tmp_path, material.chapter(toy.NAME), {"toy.cu": b"// mine\n"})
    found = {path.relative_to(tmp_path).as_posix(): path.read_text() for path in tmp_path.rglob("*.*")}
    assert found == {"toy.cu": "// mine\n", "supplied.h": "// given\n", "common/given.h": "// of the kit\n"}


def test_the_workers_set_the_confinement_of_the_task(toy_course, monkeypatch):
    used = []
    monkeypatch.setattr(material, "check", lambda *a, **k: used.append(confinement.current()) or toy.check(*a, **k))
    with toy.InlineCrew() as inline:
        inline.submit("x", task(confinement="landlock"))
        assert inline.wait().answer
    assert used == ["landlock"] * 2 and confinement.current() is None


def test_a_crew_does_tasks_in_any_order_and_leaves_nothing_behind(workers):
    before = set(os.listdir("/proc"))
    with LocalCrew(2) as two:
        for number in range(12):
            while not two.room:
                two.wait()
            two.submit(str(number), task())
        while two.pending:
            done = two.wait()
            assert done.answer and not done.problem
        folder = two._temporary
    assert not Path(folder).exists()
    left = [pid for pid in set(os.listdir("/proc")) - before if pid.isdecimal() and b"classroom_toy" in _command(pid)]
    assert not left


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_workers_are_replaced_now_and_then(workers, monkeypatch):
    monkeypatch.setattr(crew, "TASKS_A_WORKER", 2)
    seen = []
    with LocalCrew(1) as one:
        for number in range(5):
            one.submit(str(number), task())
            assert one.wait().answer
            seen += [child for child in one._workers.values() if child not in seen]
    assert len(seen) == 3


def test_a_worker_that_dies_costs_one_retry(workers):
    with LocalCrew(1) as one:
        one.submit("x", task(cu="right die once", exercises=("toy-kernel",)))
        assert one.wait().answer.verdicts["toy-kernel"].passed
        one.submit("y", task(cu="die", exercises=("toy-kernel",)))
        done = one.wait()
        assert done.answer is None and "SIGKILL" in done.problem
        one.submit("z", task())
        assert one.wait().answer  # the next has a worker again


def test_a_crew_is_closed_while_tasks_are_under_way(workers):
    crew_ = LocalCrew(2)
    for number in range(4):
        crew_.submit(str(number), task(cu="hang"))
    while len(crew_._workers) < 2:
        time.sleep(0.01)
    under_way = list(crew_._workers.values())
    crew_.close()  # the tasks last 1000 s
    assert all(child.outcome for child in under_way)


def test_a_worker_judges_one_gpu_job_at_a_time(toy_course, monkeypatch, tmp_path):
    """An exercise that needs a GPU holds the machine's lock; another process waits for it."""
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path))
    waits = "from grader.classroom.worker import the_gpu\nprint('waits', flush=True)\nwith the_gpu(): print('had it')"
    with worker.the_gpu():
        other = subprocess.Popen([sys.executable, "-c", waits], stdout=subprocess.PIPE, text=True)
        assert other.stdout.readline() == "waits\n"
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(0.5)
    assert other.communicate(timeout=60)[0] == "had it\n"
