"""The right plugins of the tests, and the solutions of the plugin exercises, on a real GPU: do they pass at level L2,
with the bytes of the simulated GPU?

On a machine with the plugin lane:   python benchmarks/plugins_on_a_gpu.py pack build/gpu [PLUGIN...]
On the machine with the GPU:         python benchmarks/plugins_on_a_gpu.py run build/gpu OUT [PLUGIN...]

`pack` puts everything into one folder that the second machine may not have: the libraries, built once, so that both run
the same; TensorRT's headers and NVIDIA's registry (so keep the folder to yourself); what the simulated GPU computes.
`run` needs Python 3.11 or later with NumPy, g++, a driver and the CUDA runtime. It writes OUT/plugins.json, with what
the tools of compute-sanitizer say where it is installed. A PLUGIN of the course is named by its exercise's slug.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = ("min", "opt", "max")
SANITIZER = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")


def _plugins() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "plugin")]


def _exercises() -> dict:
    """The course's plugin exercises by slug."""
    from grader import course

    every = [exercise for chapter in course.chapters() for exercise in chapter.exercises]
    return {exercise.slug: exercise for exercise in every if exercise.kind == "plugin"}


def spec_of(name: str):
    import building

    from grader.exercises.runner import plan_of

    exercise = _exercises().get(name)
    return plan_of(exercise)._spec() if exercise else building.spec(name)


def library_of(name: str) -> Path:
    import building

    from grader.exercises.runner import plan_of
    from grader.proof.answer import Place

    exercise = _exercises().get(name)
    if exercise is None:
        return building.built(name)
    built = plan_of(exercise).build(Place(ROOT, exercise).solution(), exercise)
    if built.path is None:
        raise SystemExit(f"the solution of {name} does not build: {built.message}")
    return built.path


def pack(folder: Path, wanted: Sequence[str] = ()) -> None:
    _plugins()
    import building

    from grader.toolchain import tensorrt

    shutil.rmtree(folder, ignore_errors=True)
    (folder / "libraries").mkdir(parents=True)
    names = list(wanted) or [*building.names(), *_exercises()]
    for name in names:
        shutil.copy(library_of(name), folder / "libraries" / f"{name}.so")
    shutil.copytree(tensorrt.tensorrt_include(), folder / "tensorrt" / "include")
    registry = tensorrt.lean_library()
    with zipfile.ZipFile(folder / "registry.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(registry, f"{registry.parent.name}/{registry.name}")
    elftools = Path(importlib.util.find_spec("elftools").origin).parent
    shutil.copytree(elftools, folder / "site" / "elftools")
    for name in names:
        results = outputs(name, folder / "libraries" / f"{name}.so", gpu=False)
        (folder / "libraries" / f"{name}.json").write_text(json.dumps(results))
        print(name, len(results), "runs on the simulated GPU")


def run(folder: Path, out: Path, names: Sequence[str] = ()) -> None:
    os.environ.update(TENSORRT_ROOT=str(folder / "tensorrt"), GRADER_CACHE=str(out / "cache"))
    with zipfile.ZipFile(folder / "registry.zip") as archive:
        archive.extractall(out / "site")
    sys.path[:0] = [str(out / "site"), str(folder / "site")]
    _plugins()
    from grader.checks.conformance.run import conform

    rows = []
    for library in sorted((folder / "libraries").glob("*.so")):
        name, began = library.stem, time.perf_counter()
        if names and name not in names:
            continue
        report = conform(library, spec_of(name), level="L2")
        states = [str(result.state) for result in report.results]
        wrong = {r.check: r.message for r in report.results if r.state not in ("pass", "unsupported_here")}
        row = {"plugin": name, "passed": states.count("pass"), "failed": wrong,
               "not run": [r.check for r in report.results if r.state == "unsupported_here"],
               "seconds": round(time.perf_counter() - began, 2)}  # fmt: skip
        row["bytes"] = compare(json.loads(library.with_suffix(".json").read_text()), outputs(name, library, gpu=True))
        row["sanitizer"] = {tool: sanitized(name, library, tool, out) for tool in TOOLS} if SANITIZER else "not here"
        rows.append(row)
        print(json.dumps(row), flush=True)
    shutil.rmtree(out / "cache")
    shutil.rmtree(out / "site")
    (out / "plugins.json").write_text(json.dumps(rows, indent=1))


def outputs(name: str, library: Path, *, gpu: bool, tool: Sequence[str] = ()) -> dict[str, list[str]]:
    """The bytes of the outputs of each combination at each size, in hexadecimal; the same inputs everywhere."""
    import numpy as np

    from grader.checks.conformance.bench import Bench
    from grader.checks.conformance.gpu_bench import GpuBench
    from grader.plugin.gpu_device import cuda_runtime
    from grader.simulator.runtime.client import RuntimeDevice

    spec, found = spec_of(name), {}
    device = None if gpu else RuntimeDevice.start()
    with GpuBench(library, spec, cuda_runtime(), tool=tool) if gpu else Bench(library, spec, device=device) as bench:
        for combination in spec.combinations():
            ready = bench.ready(combination)
            for size in SIZES:
                case = bench.case(np.random.default_rng(7), size, combination)
                done = ready.runner.run(ready.context, case)
                assert done.well, (name, case.name, done.status, done.synchronized, done.fault)
                found[case.name] = [np.ascontiguousarray(array).tobytes().hex() for array in done.outputs]
    if device is not None:
        device.close()
    return found


def sanitized(name: str, library: Path, tool: str, out: Path) -> str:
    """The summary of a compute-sanitizer tool over all runs of ``outputs``."""
    log = out / "sanitizer.log"
    log.unlink(missing_ok=True)
    outputs(name, library, gpu=True, tool=[SANITIZER, "--tool", tool, "--log-file", f"{log}.%p"])
    texts = [each.read_text() for each in out.glob("sanitizer.log.*")]
    for each in out.glob("sanitizer.log.*"):
        each.unlink()
    found = [line.split("=========")[-1].strip() for text in texts for line in text.splitlines() if "SUMMARY" in line]
    return "; ".join(dict.fromkeys(found)) or "no summary"


def compare(simulated: dict[str, list[str]], real: dict[str, list[str]]) -> dict[str, int]:
    equal = sum(simulated[case] == real.get(case) for case in simulated)
    return {"cases": len(simulated), "equal": equal}


if __name__ == "__main__":
    if len(sys.argv) >= 3 and sys.argv[1] == "pack":
        pack(Path(sys.argv[2]), sys.argv[3:])
    elif len(sys.argv) >= 4 and sys.argv[1] == "run":
        run(Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve(), sys.argv[4:])
    else:
        sys.exit(__doc__)
