"""What one submission costs the process that writes: reading it, its result, the gradebook, the notebook.

    python benchmarks/gradebook.py [--count 100] [--report FILE.json]

Judging is left out: a crew answers each task at once with verdicts that were made before. Once with SQLite, once with a
PostgreSQL server of its own that waits for the disk, as one in use does; and both again for submissions that changed.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "classroom"))

import classroom_toy as toy  # noqa: E402
import postgres_server  # noqa: E402

from grader.classroom import autograde, demo, material  # noqa: E402
from grader.classroom.create import create  # noqa: E402
from grader.classroom.crew import Done  # noqa: E402
from grader.classroom.gradebook import GradebookWriter  # noqa: E402
from grader.classroom.session import Session  # noqa: E402
from grader.classroom.task import Answer  # noqa: E402

CHAPTER = 10


class Canned(toy.InlineCrew):
    """Judges the first task, and answers every other with its verdicts."""

    answer: Answer | None = None

    def wait(self) -> Done:
        if Canned.answer is None:
            done = super().wait()
            Canned.answer = done.answer
            return done
        name, task = self._waiting.popleft()
        made = Canned.answer.verdicts
        verdicts = {slug: dataclasses.replace(made[slug], seed=task.seeds[slug]) for slug in task.exercises}
        return Done(name, Answer(verdicts=verdicts, seconds=0.0))


class Watch:
    """Adds up the seconds that a method of a class takes."""

    def __init__(self, owner: type, name: str):
        self.seconds = 0.0
        stock = getattr(owner, name)

        def timed(*arguments, **options):
            began = time.perf_counter()
            try:
                return stock(*arguments, **options)
            finally:
                self.seconds += time.perf_counter() - began

        setattr(owner, name, timed)


def measure(folder: Path, database: str, count: int, watch: Watch) -> dict[str, float]:
    """Milliseconds a submission: of all that the writing process does, and of the gradebook in that."""
    tree, _ = create(folder / "class", database=database)
    session, chapter = Session(tree), material.chapter(CHAPTER)
    session.release(chapter.name)
    files = demo.bundled(chapter)["right"]
    main = chapter.exercises[0].files[0]
    found = {}
    for when in ("first", "changed"):
        for number in range(count + 1):
            place = tree.submitted(f"student{number:05}", chapter.name)
            place.mkdir(parents=True, exist_ok=True)
            distinct = {main: files[main] + f"// {when} of {number}\n".encode()}
            for name, data in (files | distinct).items():
                (place / name).write_bytes(data)
        session.autograde(chapter.name, "student00000", trust=True)  # judges once, and opens everything once
        began, cpu, watch.seconds = time.perf_counter(), time.process_time(), 0.0
        graded = session.autograde(chapter.name, "student*", trust=True)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        assert not [one.problem for one in graded if one.problem]
        found[f"{when}: all"] = round(1000 * seconds / count, 1)
        found[f"{when}: processor time of all"] = round(1000 * cpu / count, 1)
        found[f"{when}: gradebook"] = round(1000 * watch.seconds / count, 1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    autograde.hire = lambda *_: Canned()
    watch = Watch(GradebookWriter, "_save_scores_at_once")
    found = {"count": options.count, "milliseconds a submission": {}}
    with tempfile.TemporaryDirectory(prefix="gradebook-") as folder:
        (place := Path(folder) / "sqlite").mkdir()
        found["milliseconds a submission"]["SQLite"] = measure(place, "", options.count, watch)
        if programs := postgres_server.find_programs():
            server = postgres_server.Server(programs, durable=True)
            try:
                server.start()
                (place := Path(folder) / "postgresql").mkdir()
                address = server.new_database("a class")
                found["milliseconds a submission"]["PostgreSQL"] = measure(place, address, options.count, watch)
                found["server"] = server.execute("show server_version")[0][0]
            finally:
                server.close()
    text = json.dumps(found, indent=1)
    print(text)
    if options.report:
        options.report.write_text(text + "\n")


if __name__ == "__main__":
    main()
