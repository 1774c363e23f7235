"""How long a conformance run takes: `grader plugin conform` on every right plugin, libraries built before.

    python benchmarks/conform.py [--times 5] [--report FILE]

The plugins take turns, so that what else the machine does meets all of them. Two times are told, in seconds: of the run
by itself, as the report says it, and of the whole command, with the start of Python. Beside them the processor time of
the command with all its children, which says more where others work on the machine too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "plugin"))

import building  # noqa: E402


def once(name: str) -> tuple[float, float, float, int]:
    """Seconds of the run, of the command, of the processor, and how many rules gave a result."""
    spec = building.PLUGINS / name / f"{name}.toml"
    command = [sys.executable, "-c", "from grader.cli.main import app; app()", "plugin", "conform"]
    command += [str(building.built(name)), "--spec", str(spec), "--json"]
    began, used = time.perf_counter(), _processor_seconds()
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    seconds, used = time.perf_counter() - began, _processor_seconds() - used
    if done.returncode:
        raise SystemExit(f"{name} did not pass: {done.stdout[-2000:]} {done.stderr[-1000:]}")
    report = json.loads(done.stdout)
    return report["seconds"], seconds, used, len(report["results"])


def _processor_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _row(name: str, times: list[tuple[float, float, float]]) -> dict[str, object]:
    runs, commands, processor = zip(*times, strict=True)
    median = statistics.median
    return {
        "plugin": name, "run": round(median(runs), 2), "longest": round(max(runs), 2),
        "command": round(median(commands), 2), "processor": round(median(processor), 2),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    names, rules = building.names(), 0
    runs: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    for _ in range(options.times):
        for name in names:
            *measured, rules = once(name)
            runs[name].append(tuple(measured))
    rows = [_row(name, times) for name, times in runs.items()]
    for row in rows:
        print(
            f"{row['plugin']:26} run {row['run']:5.2f}  longest {row['longest']:5.2f}  command {row['command']:5.2f}"
            f"  processor {row['processor']:5.2f}"
        )
    whole = {
        "plugins": len(rows), "rules": rules, "times": options.times,
        "run_median": statistics.median(row["run"] for row in rows), "run_worst": max(row["run"] for row in rows),
        "command_median": statistics.median(row["command"] for row in rows),
        "processor_median": statistics.median(row["processor"] for row in rows),
        "processor_worst": max(row["processor"] for row in rows),
        "command_worst": max(row["command"] for row in rows),
        "load": round(os.getloadavg()[0], 1), "cpus": os.cpu_count(), "machine": platform.machine(),
    }  # fmt: skip
    print(json.dumps(whole, indent=1))
    if options.report:
        options.report.write_text(json.dumps({**whole, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
