"""From a saved file to its verdict, with no GPU: what a learner waits for.

    python benchmarks/save_to_verdict.py [--times 20] [--report FILE]

Each run changes a comment in the solution, so that nothing comes from the compile cache, and checks it as a notebook
does, in this process with fresh children. Two times are told, in seconds: to the visible verdict, which is what the
panel shows first, and to the end of the fresh random cases that follow a pass. The simulated GPU's engine is built
before the first run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path

from grader import course
from grader.exercises import check
from grader.proof.answer import Place
from grader.verdict import State

ROOT = Path(__file__).resolve().parent.parent


def once(exercise: course.Exercise, files: dict[str, bytes], run: int) -> tuple[float, float]:
    mark = f"# run {run} {time.time_ns()}\n" if exercise.kind == "python" else f"// run {run} {time.time_ns()}\n"
    changed = {name: mark.encode() + content for name, content in files.items()}
    seen: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, content in changed.items():
            Path(folder, name).write_bytes(content)
        cells = {exercise.slug: next(iter(changed.values())).decode()} if exercise.kind == "python" else None
        started = time.perf_counter()
        verdict = check(
            exercise.slug, folder, cells=cells, hidden=True, reveal=True, seed=run, device="simulated",
            on_visible=lambda _: seen.append(time.perf_counter() - started),
        )  # fmt: skip
        total = time.perf_counter() - started
    if verdict.state is not State.PASS:
        raise SystemExit(f"the solution of {exercise.slug} did not pass: {verdict.state}")
    return seen[0], total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    rows = []
    print(f"{'exercise':24} {'visible p50':>12} {'p95':>6} {'all p50':>8} {'p95':>6}   seconds, {options.times} runs")
    for exercise in (e for chapter in course.chapters() for e in chapter.exercises):
        files = Place(ROOT, exercise).solution()
        once(exercise, files, 0)  # builds what is built once
        times = [once(exercise, files, run) for run in range(1, options.times + 1)]
        row = {"exercise": exercise.slug, "kind": exercise.kind}
        for name, values in zip(("visible", "all"), zip(*times, strict=True), strict=True):
            cuts = statistics.quantiles(values, n=20, method="inclusive")
            row |= {f"{name}_p50": round(cuts[9], 3), f"{name}_p95": round(cuts[18], 3)}
        rows.append(row)
        print(
            f"{row['exercise']:24} {row['visible_p50']:12.2f} {row['visible_p95']:6.2f} "
            f"{row['all_p50']:8.2f} {row['all_p95']:6.2f}",
            flush=True,
        )
    if options.report:
        facts = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
        text = json.dumps({"date": time.strftime("%Y-%m-%d"), "times": options.times, **facts, "rows": rows}, indent=1)
        options.report.write_text(text + "\n")


if __name__ == "__main__":
    main()
