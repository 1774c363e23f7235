"""How fast Dask workers grade beside workers of this machine alone, and what that makes of 10,000 submissions.

    python benchmarks/grade_on_dask.py [--count 40] [--chapter 10] [--report FILE.json] [--trust]

The tasks are those of `grader autograde`: right answers, none like any before, so that no compile is found in the
cache, confined by the best that the machine has. A task without exercises shows what the way to a worker and back
costs. The plan on paper divides the measured seconds of a task by the workers, down to what the one writing process
needs (`benchmarks/gradebook.py`).
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
import json
import os
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from grader.classroom import demo, graft, judge, material, secret, workers
from grader.classroom.autograde import read_release
from grader.classroom.create import create
from grader.classroom.crew import Crew, LocalCrew
from grader.classroom.dask_crew import DEPTH, DaskCrew
from grader.classroom.session import Session
from grader.classroom.submission import collect
from grader.classroom.task import Task
from grader.sandbox import confinement

SUBMISSIONS = 10_000
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128)
WRITING = 0.020  # seconds a submission of the one writing process; measured by benchmarks/gradebook.py


def plan(task_seconds: float, way_seconds: float, writing_seconds: float = WRITING) -> dict[int, float]:
    """Hours for `SUBMISSIONS`, by workers. Workers judge side by side; one process writes, one submission at a time."""
    judging = SUBMISSIONS * (task_seconds + way_seconds)
    writing = SUBMISSIONS * writing_seconds
    return {count: round(max(judging / count, writing) / 3600, 2) for count in WORKERS}


def tasks(count: int, chapter_number: int, confinement: str | None) -> list[Task]:
    """Of `count` submissions, each a right answer with a comment that was never there before."""
    mark = secrets.token_hex(8)
    chapter = material.chapter(chapter_number)
    files = demo.bundled(chapter)["right"]
    with tempfile.TemporaryDirectory(prefix="grade-on-dask-") as folder:
        tree, _ = create(Path(folder) / "class")
        Session(tree).release(chapter.name)
        cells = graft.answer_cells(read_release(tree, chapter))
        keys = {exercise.slug: "" for exercise in chapter.exercises}
        found = []
        for number in range(count):
            student = f"student{number:05}"
            place = tree.submitted(student, chapter.name)
            place.mkdir(parents=True)
            for name, data in files.items():
                distinct = f"// {mark} {number}\n".encode() if name.endswith((".cu", ".cpp")) else b""
                (place / name).write_bytes(data + distinct)
            submission = collect(place, chapter, cells)
            work = judge.prepare(student, chapter, submission, secret.read(tree.secret), keys, None, again=True)
            found.append(work.task(work.todo, confinement))
        return found


def do(crew: Crew, wanted: list[Task]) -> float:
    """Seconds that a crew takes for them; all must be judged."""
    waiting, began = list(enumerate(wanted)), time.perf_counter()
    while waiting or crew.pending:
        while waiting and crew.room > 0:
            number, task = waiting.pop()
            crew.submit(str(number), task)
        done = crew.wait()
        assert done.answer, done.problem
        failed = [slug for slug, verdict in done.answer.verdicts.items() if not verdict.passed and not verdict.pending]
        assert not failed, failed
    return time.perf_counter() - began


@contextlib.contextmanager
def cluster(count: int):
    """The address of a scheduler with so many workers here."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    environment = os.environ | {"DASK_LOGGING__DISTRIBUTED": "error"}
    started = [
        subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        for command in workers.commands(address, scheduler=True, workers=count, gpu=False)
    ]
    try:
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def measure(batches: Iterator[list[Task]], confine: str | None) -> dict:
    """By crew: submissions a second, and milliseconds that a task without exercises takes on one worker."""
    found = {}
    for count in (1, 2):
        with LocalCrew(count) as crew:
            found[f"--jobs {count}"] = _figures(crew, next(batches))
        with cluster(count) as address, DaskCrew(address, confine=confine, say=print) as crew:
            while crew.room < DEPTH * count:
                crew._look()
                time.sleep(0.2)
            found[f"--dask, {count} workers"] = _figures(crew, next(batches))
    return found


def _figures(crew: Crew, wanted: list[Task]) -> dict:
    """The first tasks start what must be started once, and do not count."""
    first, rest = wanted[:4], wanted[4:]
    empty = [dataclasses.replace(first[0], exercises=(), seeds={"": number}) for number in range(100)]
    do(crew, first)
    seconds, way = do(crew, rest), do(crew, empty)
    return {
        "submissions a second": round(len(rest) / seconds, 3),
        "milliseconds of an empty task": round(1000 * way / len(empty), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--chapter", type=int, default=10)
    parser.add_argument("--trust", action="store_true", help="do not confine")
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    kind = None if options.trust else confinement.best().kind
    sizes = [len(task.to_bytes()) for task in tasks(10, options.chapter, kind)]
    crews = measure((tasks(options.count + 4, options.chapter, kind) for _ in itertools.count()), kind)
    alone, one = crews["--jobs 1"], crews["--dask, 1 workers"]
    way = (one["milliseconds of an empty task"] - alone["milliseconds of an empty task"]) / 1000
    found = {
        "chapter": options.chapter, "count": options.count, "confinement": kind, "crews": crews,
        "bytes of a task": round(sum(sizes) / len(sizes)),
        "milliseconds that Dask adds to a task": round(1000 * way, 1),
        "hours for 10,000 submissions, by workers": plan(1 / alone["submissions a second"], max(way, 0)),
    }  # fmt: skip
    text = json.dumps(found, indent=1)
    print(text)
    if options.report:
        options.report.write_text(text + "\n")


if __name__ == "__main__":
    main()
