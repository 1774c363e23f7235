"""Grading a class, beside nbgrader as it comes: rates, processor time, memory.

    python benchmarks/grade_class.py [--count 100] [--rounds 2] [--sets kernel python ...] [--jobs 2] [--report FILE]
    python benchmarks/grade_class.py --memory 500
    python benchmarks/grade_class.py --plugins 12

Both grade the same submissions, no two of which have the same bytes, and both compile with a cache that holds none of
their kernels; only what is built once for a machine, such as the simulated GPU's engine, is there. nbgrader has a plain
course, whose test cells call ``exercise(...).check()`` in the kernel: the same compile and run, without isolation. Ours
is ``grader autograde``, confined. In each round both grade their share, one after the other. Verdicts must be those
that the answers were made for, by both.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from measured import Measured, measure, resident_mb
from students import ROOT, Answer, answers, stock_notebook, with_cells

from grader import course
from grader.classroom.create import create
from grader.classroom.result import Result
from grader.classroom.session import Session
from grader.exercises import check
from grader.sandbox import confinement
from grader.simulator.build import build
from grader.toolchain import Source, cache_folder, compile_library
from grader.verdict import State

SETS = {
    "python": ("masked-gelu-cases",),
    "kernel": ("grid-stride",),
    "kernels": ("thread-index", "bounds-guard", "grid-stride"),
    "chapter-10": ("masked-gelu-forward", "masked-gelu-backward", "masked-gelu-cases"),
    "chapter-0": ("thread-index", "bounds-guard", "grid-stride", "override-noexcept", "ownership", "return-status"),
}
CACHE = cache_folder()
BUILT_ONCE = ("engine", "host", "runtime", "tensorrt")  # folders of the cache that hold nothing of a submission


def cold_environment(folder: Path) -> dict[str, str]:
    """Ours, with a cache that holds what is built once for a machine, and this Python's programs."""
    for name in BUILT_ONCE:
        if (CACHE / name).is_dir():
            shutil.copytree(CACHE / name, folder / name)
    return {**with_programs(), "GRADER_CACHE": str(folder)}


def with_programs() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}  # nbgrader calls alembic


class Ours:
    """An instructor's tree with one chapter."""

    name = "grader autograde"

    def __init__(self, root: Path, exercises: Sequence[course.Exercise], jobs: int):
        self.exercises, self.jobs = exercises, jobs
        self.chapter = course.chapter(exercises[0].number)
        self.tree, _ = create(root / "class")
        self.root = self.tree.root
        Session(self.tree).release(self.chapter.name)

    def hand_in(self, student: str, answer: Answer) -> None:
        place = self.tree.submitted(student, self.chapter.name)
        place.mkdir(parents=True)
        notebook = json.loads((self.tree.released(self.chapter.name) / f"{self.chapter.name}.ipynb").read_text())
        (place / f"{self.chapter.name}.ipynb").write_text(json.dumps(with_cells(notebook, answer.cells)))
        for name, data in answer.files.items():
            (place / name).write_bytes(data)

    def command(self) -> list[str]:
        program = [sys.executable, "-c", "from grader.cli.main import app; app()"]
        return [*program, "autograde", str(self.chapter.number), "--jobs", str(self.jobs)]

    def passed(self, student: str) -> set[str]:
        result = Result.read(self.tree.result(student, self.chapter.name))
        verdicts = result.verdicts if result else {}
        if faults := [slug for slug, verdict in verdicts.items() if verdict.state is State.GRADER_FAULT]:
            raise SystemExit(f"the grader failed on {student}: {faults}")
        return {each.slug for each in self.exercises if each.slug in verdicts and verdicts[each.slug].passed}


class Stock:
    """A plain course of nbgrader with one assignment."""

    name = "nbgrader autograde"

    def __init__(self, root: Path, exercises: Sequence[course.Exercise]):
        self.root, self.exercises, self.notebook = root / "stock", exercises, stock_notebook(exercises)
        source = self.root / "source" / "ps"
        source.mkdir(parents=True)
        (self.root / "nbgrader_config.py").write_text("c = get_config()\n")
        (source / "ps.ipynb").write_text(json.dumps(self.notebook))
        command = [sys.executable, "-m", "nbgrader", "generate_assignment", "ps"]
        done = measure(command, env=with_programs(), cwd=self.root)
        if done.status:
            raise SystemExit(f"nbgrader could not make the assignment:\n{done.output}")

    def hand_in(self, student: str, answer: Answer) -> None:
        place = self.root / "submitted" / student / "ps"
        place.mkdir(parents=True)
        (place / "ps.ipynb").write_text(json.dumps(with_cells(self.notebook, answer.cells)))
        for name, data in answer.files.items():
            (place / name).write_bytes(data)

    def command(self) -> list[str]:
        return [sys.executable, "-m", "nbgrader", "autograde", "ps"]

    def passed(self, student: str) -> set[str]:
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.root}/gradebook.db") as gradebook:
            notebook = gradebook.find_submission_notebook("ps", "ps", student)
            return {grade.name for grade in notebook.grades if grade.auto_score == grade.max_score}


def compare(slugs: Sequence[str], count: int, rounds: int, jobs: int) -> dict:
    """Both ways over the same submissions, in turn."""
    exercises = [course.find(slug) for slug in slugs]
    students = [(f"s{number:04}", answer) for number, answer in enumerate(answers(exercises, count))]
    if len({(*sorted(a.files.items()), *sorted(a.cells.items())) for _, a in students}) != count:
        raise SystemExit("two submissions have the same bytes")
    rows: dict[str, list[Measured]] = {}
    for number in range(rounds):
        with tempfile.TemporaryDirectory(prefix="class-") as folder:
            for way in (Stock(Path(folder), exercises), Ours(Path(folder), exercises, jobs)):
                share = students[number::rounds]
                for student, answer in share:
                    way.hand_in(student, answer)
                environment = cold_environment(Path(folder, f"cache of {way.name}"))
                done = measure(way.command(), env=environment, cwd=way.root)
                rows.setdefault(way.name, []).append(done)
                if done.status:
                    raise SystemExit(f"{way.name} ended with {done.status}:\n{done.output[-3000:]}")
                for student, answer in share:
                    passed = way.passed(student)
                    if passed != (set(slugs) if answer.kind == "right" else set()):
                        raise SystemExit(f"{way.name}: {student} ({answer.kind}) passed {sorted(passed)}")
    found = {name: totals(count, runs) for name, runs in rows.items()}
    stock, ours = found.values()
    return {"exercises": list(slugs), "submissions": count, **found, "ratio": round(ours["rate"] / stock["rate"], 1)}


def totals(count: int, runs: Sequence[Measured]) -> dict[str, float]:
    seconds = sum(run.seconds for run in runs)
    return {
        "seconds": round(seconds, 2), "rate": round(count / seconds, 2),
        "processor_seconds_each": round(sum(run.processor_seconds for run in runs) / count, 3),
        "own_peak_mb": round(max(run.own_peak_mb for run in runs)),
        "peak_mb": round(max(run.peak_mb for run in runs)),
    }  # fmt: skip


def memory(count: int, jobs: int) -> dict:
    """How much memory the grading process and its workers hold as the class goes by."""
    exercises = [course.find(slug) for slug in SETS["kernel"]]
    with tempfile.TemporaryDirectory(prefix="class-") as folder:
        ours = Ours(Path(folder), exercises, jobs)
        for number, answer in enumerate(answers(exercises, count)):
            ours.hand_in(f"s{number:04}", answer)
        seen: dict[int, tuple[float, float]] = {}

        def look(processes: list[int]) -> None:
            done = sum(1 for _ in (ours.tree.root / "results").rglob("*.json"))
            held = [resident_mb(pid) for pid in processes]
            seen[done // 50 * 50] = round(held[0]), round(max(held[1:], default=0))

        done = measure(ours.command(), env=cold_environment(Path(folder, "cache")), cwd=ours.root, look=look)
    if done.status:
        raise SystemExit(f"{ours.name} ended with {done.status}:\n{done.output[-3000:]}")
    return {
        "submissions": count, "seconds": round(done.seconds, 1), "rate": round(count / done.seconds, 1),
        "held": [
            {"graded": graded, "own_mb": own, "worker_mb": worker} for graded, (own, worker) in sorted(seen.items())
        ],
    }  # fmt: skip


def plugins(count: int) -> dict:
    """Plugin exercises: what grading takes beside the bare compile and the run of the rules. The chapter is one that
    tests and benchmarks alone see: everything runs in a copy of the course that has it, in a Python environment whose
    ``grader`` is that copy."""
    sys.path.append(str(ROOT / "tests" / "exercises"))
    import plugin_course_tree

    with tempfile.TemporaryDirectory(prefix="class-") as folder:
        tree = plugin_course_tree.make(Path(folder, "course"))
        for path in Path(sys.prefix).glob(".plugin-lane.*"):  # what says that the plugin lane is there
            shutil.copy(path, tree / ".venv")
        command = [plugin_course_tree.python(tree), __file__, "--plugins-here", str(count)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"grading plugins ended with {done.returncode}")
    return json.loads(done.stdout)


def plugins_here(count: int) -> dict:
    """In the copy: the same submissions compiled and judged here, one after the other, and graded by one and by two
    workers."""
    sys.path.append(str(ROOT / "tests" / "exercises"))
    from plugin_course_tree import STATE, distinct

    exercise, kind = course.find(STATE), confinement.best().kind
    notebook = course.pristine().root / "course" / exercise.chapter / f"{exercise.chapter}.ipynb"
    notebook.write_text(json.dumps(stock_notebook(course.chapter(exercise.number).exercises)))
    files = [distinct(number) for number in range(count)]
    supplied = {path.name: path.read_bytes() for path in course.pristine().skeletons(exercise.chapter).iterdir()}
    compiling = judging = judging_unconfined = 0.0
    with tempfile.TemporaryDirectory(prefix="class-") as folder:
        os.environ |= cold_environment(Path(folder, "cache"))
        for number, answer in enumerate(files):
            place = Path(folder, "answer")
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            for name, data in (supplied | answer).items():
                (place / name).write_bytes(data)
            began = time.perf_counter()
            library = compile_library(Source(supplied | answer, exercise.files[0]))
            compiling += time.perf_counter() - began
            times = []
            for each in (kind, None):
                confinement.use(each)
                began = time.perf_counter()
                verdict = check(STATE, place, seed=number, hidden=True)
                times.append(time.perf_counter() - began)
                if library.state is not State.PASS or verdict.state is not State.PASS:
                    bad = [result.message for result in verdict.checks if result.state is not State.PASS]
                    raise SystemExit(f"a right plugin did not pass: {library.message} {bad[:3]}")
            judging += times[0]
            judging_unconfined += times[1]
    runs = {}
    for jobs in (1, 2):
        with tempfile.TemporaryDirectory(prefix="class-") as folder:
            ours = Ours(Path(folder), [exercise], jobs)
            for number, answer in enumerate(files):
                ours.hand_in(f"s{number:04}", Answer("right", answer, {}))
            done = measure(ours.command(), env=cold_environment(Path(folder, "cold")), cwd=ours.root)
            if done.status or not all(ours.passed(f"s{number:04}") for number in range(count)):
                raise SystemExit(f"{ours.name} ended with {done.status}:\n{done.output[-3000:]}")
            runs[jobs] = done
    return {
        "submissions": count, "compile_seconds_each": round(compiling / count, 2),
        "rules_seconds_each": round(judging / count, 2),
        "rules_unconfined_seconds_each": round(judging_unconfined / count, 2),
        "graded_seconds_each": {jobs: round(run.seconds / count, 2) for jobs, run in runs.items()},
        "grading_adds_percent": round(100 * (runs[1].seconds / (compiling + judging) - 1), 1),
        "two_jobs_are_faster_by": round(runs[1].seconds / runs[2].seconds, 2),
    }  # fmt: skip


def table(results: dict[str, dict]) -> str:
    lines = [
        "| exercises | submissions | nbgrader: a second | CPU s each | peak MB "
        "| grader: a second | CPU s each | peak MB | ratio |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, row in results.items():
        cells = [name, row["submissions"]]
        for way in (Stock.name, Ours.name):
            cells += [row[way]["rate"], row[way]["processor_seconds_each"], row[way]["peak_mb"]]
        lines.append("| " + " | ".join(map(str, [*cells, row["ratio"]])) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="submissions of each set")
    parser.add_argument("--rounds", type=int, default=2, help="in which both ways grade their share in turn")
    parser.add_argument("--sets", nargs="*", choices=list(SETS), default=list(SETS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory", type=int, metavar="COUNT", help="instead: memory over so many submissions")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--plugins", type=int, metavar="COUNT", help="instead: so many plugins, one and two jobs")
    parser.add_argument("--plugins-here", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    build()
    if options.plugins_here:
        print(json.dumps(plugins_here(options.plugins_here)))
        return
    facts = {
        "date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), "machine": platform.machine(),
        "python": platform.python_version(), "confinement": confinement.best().kind, "jobs": options.jobs,
    }  # fmt: skip
    if options.memory:
        found = {"memory": memory(options.memory, options.jobs)}
        print(json.dumps(found, indent=1))
    elif options.plugins:
        found = {"plugins": plugins(options.plugins)}
        print(json.dumps(found, indent=1))
    else:
        found = {"sets": {}}
        for name in options.sets:
            found["sets"][name] = compare(SETS[name], options.count, options.rounds, options.jobs)
            print(json.dumps({name: found["sets"][name]}), flush=True)
        print(table(found["sets"]))
    if options.report:
        kept = json.loads(options.report.read_text()) if options.report.exists() else {}
        options.report.write_text(json.dumps({**kept, **facts, **found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
