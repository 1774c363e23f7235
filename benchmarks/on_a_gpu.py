"""Judge every kernel answer of the repository on a real GPU, and hold the simulated GPU against it.

    python benchmarks/on_a_gpu.py --report benchmarks/results/on_a_gpu.json

Needs a GPU, its driver and CuPy; nothing here claims to have run without them. The skeleton, the solution and every
variant of each kernel exercise are judged twice, on the simulated GPU and on the GPU, where the same PTX runs through
CuPy; check by check, the two must agree. Where Nsight Compute (`ncu`) can read the hardware counters, the counters
of each solution's kernels stand beside the simulated ones; where it cannot, the row says "not compared".
"""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grader import course
from grader.exercises import check
from grader.proof.answer import Place

ROOT = Path(__file__).resolve().parent.parent
METRICS = (
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
)


def answers(place: Place):
    """(name, files) of everything that can be judged: skeleton, solution, variants."""
    yield "skeleton", place.skeleton()
    solution = place.solution()
    yield "solution", solution
    for variant in place.variants():
        yield ("alternative " if variant.alternative else "variant ") + variant.name, variant.apply(solution)


def states(slug: str, files: dict[str, bytes], device: str) -> dict[str, str]:
    """What each check of an answer said on a device."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        verdict = check(slug, folder, device=device, hidden=True, reveal=True, seed=20261129)
    return {result.check: str(result.state) for result in verdict.checks}


def judge(exercise: course.Exercise, name: str, files: dict[str, bytes]) -> dict:
    """One answer on both devices."""
    here, there = states(exercise.slug, files, "simulated"), states(exercise.slug, files, "cuda")
    differ = {k: [here[k], there[k]] for k in here if here[k] != there[k]}
    print(f"  {exercise.slug:22} {name:36} {'DIFFERS ' + str(differ) if differ else 'agrees'}", flush=True)
    failing = [k for k in here if here[k] != "pass"]
    return {"exercise": exercise.slug, "answer": name, "failing": failing, "differ": differ}


def counters(exercise: course.Exercise) -> list[dict]:
    """Nsight Compute's counters of the solution's kernels beside the simulated ones."""
    ncu = shutil.which("ncu")
    script = [sys.executable, str(ROOT / "benchmarks" / "launch_solution.py"), exercise.slug]
    simulated = json.loads(subprocess.run([*script, "simulated"], capture_output=True, text=True, check=True).stdout)
    real, reason = {}, "ncu is not installed"
    if ncu:
        command = [ncu, "--clock-control", "none", "--csv", "--metrics", ",".join(METRICS), *script, "cuda"]
        done = subprocess.run(command, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
        reason = (done.stdout + done.stderr)[-400:]
        for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))) if start is not None else ():
            value = int(row["Metric Value"].replace(",", "").split(".")[0])
            real.setdefault(row["Kernel Name"].split("(")[0], {})[row["Metric Name"]] = value
    rows = []
    for kernel, ours in simulated.items():
        for metric in METRICS:
            theirs = real.get(kernel, {}).get(metric)
            result = "not compared" if theirs is None else "equal" if theirs == ours[metric] else "different"
            row = {"exercise": exercise.slug, "kernel": kernel, "metric": metric, "simulated": ours[metric]}
            rows.append({**row, "ncu": theirs, "result": result})
    if any(row["result"] == "not compared" for row in rows):
        print(f"  {exercise.slug}: counters not compared: {reason}")
    return rows


def machine() -> dict:
    import cupy

    device = cupy.cuda.Device()
    properties = cupy.cuda.runtime.getDeviceProperties(device.id)
    return {
        "date": datetime.date.today().isoformat(),
        "gpu": properties["name"].decode(),
        "compute_capability": device.compute_capability,
        "driver": cupy.cuda.runtime.driverGetVersion(),
        "runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
        "python": platform.python_version(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", type=Path, help="write the whole table here, as JSON")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    facts = machine()
    print(facts)
    kernels = [e for chapter in course.chapters() for e in chapter.exercises if e.kind == "kernel"]
    jobs = [(exercise, *answer) for exercise in kernels for answer in answers(Place(ROOT, exercise))]
    with ThreadPoolExecutor(options.jobs) as pool:  # each job is its own processes; the GPU takes turns
        verdicts = list(pool.map(lambda job: judge(*job), jobs))
    compared = [row for exercise in kernels for row in counters(exercise)]
    agree = sum(not row["differ"] for row in verdicts)
    tally = {
        result: sum(row["result"] == result for row in compared) for result in ("equal", "different", "not compared")
    }
    print(f"{agree} of {len(verdicts)} answers judged alike; counters: {tally}")
    for row in compared:
        if row["result"] == "different":
            print("  different:", row)
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        command = "python benchmarks/on_a_gpu.py"
        report = {"command": command, "machine": facts, "verdicts": verdicts, "counters": compared}
        options.report.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if agree == len(verdicts) and not tally["different"] else 1


if __name__ == "__main__":
    sys.exit(main())
