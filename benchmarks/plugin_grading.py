"""What grading a plugin exercise adds to compiling the plugin and driving it through the rules.

    python benchmarks/plugin_grading.py [--times 5] [--report FILE]

Each submission is new to all caches. In turn: its compile commands by themselves, as a shell would run them; a
conformance run on the library by itself, all rules, as its report says it; and the whole check of the exercise, hidden
cases among it. Told are seconds, and processor seconds with all children, which say more where others work on the
machine too. "adds" is what the check takes beyond the other two together.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "exercises"))

import plugin_course_tree as plugins  # noqa: E402

PARTS = ("compile", "conform", "check")


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and processor seconds of this process and its children."""
    began, used = time.perf_counter(), _processor()
    work()
    return time.perf_counter() - began, _processor() - used


def _processor() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in spent)


def one(slug: str, number: int) -> dict[str, tuple[float, float]]:
    """A submission that nobody has seen, in parts."""
    from grader.checks.conformance.run import conform
    from grader.course import find
    from grader.exercises import check
    from grader.exercises.plugin_bench import PluginBench  # noqa: F401  (what is imported once is no part of it)
    from grader.exercises.runner import plan_of
    from grader.toolchain import Source, compile_library, library

    exercise = find(slug)
    plan = plan_of(exercise)
    skeletons = Path.cwd() / "plugin_skeletons" / exercise.chapter
    supplied = {name: (skeletons / name).read_bytes() for name in plan.supplied}
    files = plugins.distinct(number, slug)
    with tempfile.TemporaryDirectory() as folder:
        where = {name: Path(folder, name) for name in supplied | files}
        for name, path in where.items():
            path.write_bytes((supplied | files)[name])
        source = Source(supplied | files, exercise.files[0])
        *units, link = library.commands(source, where, Path(folder, "bare.so"))
        # The objects of supplied files are kept from the submission before, as they would be by who builds in a shell.
        kept = [each for each in units if any(f"{Path(name).stem}." in part for name in supplied for part in each)]
        for command in kept:
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
        mine = [each for each in units if each not in kept] + [link]
        found = {
            "compile": measured(lambda: [subprocess.run(c, cwd=folder, check=True, capture_output=True) for c in mine])
        }
        found["check"] = measured(lambda: _passes(check(slug, folder, seed=number, hidden=True)))
        path = compile_library(source).path
        found["conform"] = measured(lambda: conform(path, plan._spec(), only=[each.id for each in plan._with_needs()]))
    return found


def _passes(verdict) -> None:
    assert verdict.passed, [each for each in verdict.checks if each.state != "pass"]


def run(times: int) -> list[dict]:
    rows = []
    for slug in (plugins.STATE, plugins.RELU):
        one(slug, time.time_ns() % 10**12)  # what the first submission of all compiles and loads
        found = [one(slug, time.time_ns() % 10**12) for _ in range(times)]
        row: dict[str, object] = {"exercise": slug}
        for at, kind in enumerate(("seconds", "processor")):
            middle = {part: statistics.median(each[part][at] for each in found) for part in PARTS}
            adds = middle["check"] / (middle["compile"] + middle["conform"]) - 1
            row[kind] = {part: round(value, 3) for part, value in middle.items()} | {"adds": round(adds, 3)}
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--in-the-tree", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_the_tree:
        print(json.dumps(run(options.times)))
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = plugins.make(Path(folder) / "copy")
        command = [plugins.python(tree), __file__, "--in-the-tree", "--times", str(options.times)]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-4000:])
    rows = json.loads(done.stdout)
    for row in rows:
        for kind in ("seconds", "processor"):
            parts = "  ".join(f"{part} {row[kind][part]:6.2f}" for part in PARTS)
            print(f"{row['exercise']:20} {kind:10} {parts}   adds {row[kind]['adds']:+.1%}")
    whole = {"times": options.times, "load": round(os.getloadavg()[0], 1), "cpus": os.cpu_count(), "rows": rows}
    if options.report:
        options.report.write_text(json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    main()
