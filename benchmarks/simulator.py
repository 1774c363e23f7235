"""How fast the simulated GPU is, with the same work beside it.

    python benchmarks/simulator.py [--numba PYTHON] [--report FILE]

Medians of processor time on one thread, counters and bounds checks on, races off; then with races, and the time on the
clock with one and two threads. Beside it NumPy, a plain loop by g++ -O3, and Numba's CUDA simulator if ``--numba``
names a Python that has it (python -m venv /tmp/numba && /tmp/numba/bin/pip install numba): that one is measured on a
small part of the work and scaled up, as all of it would take minutes. Further: how long a module's load takes, a
learner's first launch in a fresh device process, and an ``int`` that overflows past 2^31 elements.
"""

from __future__ import annotations

import argparse
import datetime
import inspect
import json
import os
import platform
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from grader.simulator import Device, DeviceError
from grader.toolchain.kernel import compile_kernel
from grader.toolchain.records import Source

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "tests" / "simulator" / "kernels"
PEERS = Path(__file__).resolve().parent / "peers"
SIDE = 1024
COUNT = SIDE * SIDE
ROUNDS = 5
HAS_WORKERS = "workers" in inspect.signature(Device.launch).parameters


def compiled(path: Path) -> str:
    result = compile_kernel(Source(files={path.name: path.read_bytes()}, main=path.name))
    if result.ptx is None:
        raise SystemExit(result.message)
    return result.ptx


def median_seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Processor time, so that other programs on the machine disturb little."""
    times = []
    for _ in range(ROUNDS):
        began = clock()
        work()
        times.append(clock() - began)
    return statistics.median(times)


# ---- kernels ----


@dataclass
class Row:
    """Seconds; ``rate`` in thread-instructions a second; ``numba`` is scaled up from a part. None: not measured."""

    kernel: str
    seconds: float
    rate: float
    races: float
    one_thread: float  # on the clock
    two_threads: float | None
    numpy: float | None = None
    loop: float | None = None
    numba: float | None = None


@dataclass(frozen=True)
class Work:
    title: str
    module: str
    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    args: bytes
    numpy: Callable[[], object] | None = None
    peer: str = ""  # its name in peers/


def gelu(x: np.ndarray, keep: np.ndarray) -> np.ndarray:
    v = x.astype(np.float32)
    inner = np.float32(0.7978845608) * (v + np.float32(0.044715) * v * v * v)
    return (np.float32(0.5) * v * (1 + np.tanh(inner)) * keep).astype(np.float16)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def works(device: Device) -> list[Work]:
    random = np.random.default_rng(1)
    singles = random.standard_normal((SIDE, SIDE)).astype(np.float32)
    halves, keep = singles.astype(np.float16), random.random((SIDE, SIDE)) < 0.7
    small = singles[:256, :256].copy()

    def put(data: np.ndarray) -> int:
        address = device.alloc(data.nbytes)
        device.write(address, data)
        return address

    elementwise, shared, matmul = (
        device.load(compiled(KERNELS / name)) for name in ("elementwise.cu", "shared_memory.cu", "matmul.cu")
    )
    x16, x32, mask, y = put(halves), put(singles), put(keep), device.alloc(4 * COUNT)
    a, b = put(small), put(small.T.copy())
    pointers, square = struct.pack("<QQ", x32, y), struct.pack("<ii", SIDE, SIDE)
    masked = struct.pack("<QQQi", x16, mask, y, COUNT)
    rows, product = pointers + struct.pack("<i", SIDE), struct.pack("<QQQi", a, b, y, 256)
    tiles, tile = (32, 32), (32, 8)
    return [
        Work("masked_gelu, 1M f16", elementwise, "masked_gelu", (1024,), (256,), masked, None, "masked_gelu"),
        Work("masked_gelu_tanh, 1M f16", elementwise, "masked_gelu_tanh", (1024,), (256,), masked,
             lambda: gelu(halves, keep)),
        Work("transpose_naive, 1024x1024", shared, "transpose_naive", tiles, tile, pointers + square),
        Work("transpose_padded, 1024x1024", shared, "transpose_padded", tiles, tile, pointers + square,
             lambda: singles.T.copy(), "transpose"),
        Work("softmax_rows, 512x1024", shared, "softmax_rows", (512,), (256,), rows,
             lambda: softmax(singles[:512]), "softmax"),
        Work("matmul, 256^3 tiled", matmul, "matmul", (16, 16), (16, 16), product,
             lambda: small @ small.T, "matmul"),
    ]  # fmt: skip


def speed(numba: str | None) -> list[Row]:
    beside = numba_seconds(numba) if numba else {}
    rows = []
    with Device.in_process() as device, tempfile.TemporaryDirectory() as folder:
        loops = Path(folder) / "loops"
        subprocess.run(["g++", "-O3", "-march=native", PEERS / "loops.cpp", "-o", loops], check=True)
        for work in works(device):

            def launch(work=work, races=False, **options):
                what = work.module, work.kernel, work.grid, work.block, work.args
                found = device.launch(*what, races=races, **options)
                if found.fault is not None:
                    raise SystemExit(found.fault.sentence)
                return found

            instructions = launch().estimates["ptx_thread_instructions"]
            one = {"workers": 1} if HAS_WORKERS else {}
            seconds = median_seconds(lambda one=one, launch=launch: launch(**one))
            with_races = median_seconds(lambda launch=launch: launch(races=True))
            one_thread = median_seconds(lambda one=one, launch=launch: launch(**one), time.perf_counter)
            row = Row(work.title, seconds, instructions / seconds, with_races, one_thread, None)
            if HAS_WORKERS:
                row.two_threads = median_seconds(lambda launch=launch: launch(workers=2), time.perf_counter)
            if work.numpy:
                row.numpy = median_seconds(work.numpy)
            if work.peer:
                done = subprocess.run([loops, work.peer, str(ROUNDS)], capture_output=True, text=True, check=True)
                row.loop = float(done.stdout)
                row.numba = beside.get(work.peer)
            rows.append(row)
    return rows


def numba_seconds(python: str) -> dict[str, float]:
    """Measured on a part, for the whole."""
    done = subprocess.run([python, PEERS / "numba_simulator.py"], capture_output=True, text=True, check=True)
    return {name: seconds / fraction for name, (seconds, fraction) in json.loads(done.stdout).items()}


# ---- loads, first launches, big indices ----


def loads() -> list[dict]:
    """Parse and decode, and the same again from the device process's memory, of every CUDA file there is."""
    rows = []
    with Device.in_process() as device:
        for path in sorted([*KERNELS.glob("*.cu"), *(ROOT / "solutions").rglob("*.cu")]):
            ptx = compiled(path)

            def load(text: str) -> None:
                device.reset()
                device.load(text)

            try:
                new = iter(range(ROUNDS))  # a text that was not loaded before
                # of this thread alone: those of NumPy's products still spin
                cold = median_seconds(lambda new=new, ptx=ptx: load(f"{ptx}\n// {next(new)}"), time.thread_time)
                again = median_seconds(lambda ptx=ptx: load(f"{ptx}\n// 0"), time.thread_time)
            except DeviceError:
                continue  # what is refused by name takes no longer
            rows.append({"file": path.name, "ptx_bytes": len(ptx), "seconds": cold, "again": again})
    return rows


def latency() -> dict[str, float]:
    """Medians on the clock: a fresh device process, a load, a first launch."""
    ptx = compiled(KERNELS / "elementwise.cu")
    rows = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with Device.simulated() as device:
            started = time.perf_counter()
            module = device.load(ptx)
            loaded = time.perf_counter()
            x, mask, y = device.alloc(2048, fill=0), device.alloc(1024, fill=1), device.alloc(2048)
            device.launch(module, "masked_gelu", (4,), (256,), struct.pack("<QQQi", x, mask, y, 1024))
            ended = time.perf_counter()
        rows.append((started - began, loaded - started, ended - loaded, ended - began))
    names = ("start", "load", "launch", "together")
    return {name: statistics.median(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


BIG = """extern "C" __global__ void doubled(const float* x, float* y, int rows, int columns)
{
    int row = blockIdx.x;
    for (int column = threadIdx.x; column < columns; column += blockDim.x)
        y[row * columns + column] = 2 * x[row * columns + column];
}"""


def big_indices() -> dict:
    """A product that leaves ``int`` past 2^31 elements: the processor time until it is found, the process's size."""
    rows, columns = 40_000, 65_536
    nbytes = 4 * rows * columns
    result = compile_kernel(Source(files={"kernel.cu": BIG.encode()}, main="kernel.cu"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    with Device.in_process() as device:
        module = device.load(result.ptx)
        x, y = device.alloc(nbytes, name="x", sparse=True), device.alloc(nbytes, name="y", sparse=True)
        launch = device.launch(
            module, "doubled", (rows,), (256,), struct.pack("<QQii", x, y, rows, columns), blocks=(32_767, 32_770)
        )
        seconds = time.process_time() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "elements": rows * columns, "seconds": seconds, "fault": launch.fault and launch.fault.kind,
        "process_mib": most >> 10, "of_these_new_mib": (most - before) >> 10,
    }  # fmt: skip


# ---- report ----


def machine() -> dict:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout
    return {
        "date": str(datetime.date.today()), "processor": models[0] if models else platform.machine(),
        "cores": os.cpu_count(), "compiler": compiler.splitlines()[0], "python": platform.python_version(),
        "numpy": np.__version__,
    }  # fmt: skip


def print_report(report: dict) -> None:
    def ms(seconds: float | None, width: int = 9) -> str:
        return f"{'–' if seconds is None else f'{seconds * 1e3:,.1f}':>{width}}"

    print(", ".join(f"{key}: {value}" for key, value in report["machine"].items()), "\n")
    print(f"{'milliseconds':28}{'simulated':>10}{'G inst/s':>9}{'races':>9}{'1 thread':>9}{'2 threads':>10}"
          f"{'NumPy':>9}{'g++ loop':>9}{'Numba sim.':>12}")  # fmt: skip
    for row in report["kernels"]:
        print(f"{row['kernel']:28}{ms(row['seconds'], 10)}{row['rate'] / 1e9:9.2f}{ms(row['races'])}"
              f"{ms(row['one_thread'])}{ms(row['two_threads'], 10)}{ms(row['numpy'])}{ms(row['loop'])}"
              f"{ms(row['numba'], 12)}")  # fmt: skip
    slow = sorted(report["loads"], key=lambda row: -row["seconds"])
    median = statistics.median(row["seconds"] for row in slow)
    print(f"\nload: parse and decode, {len(slow)} modules, median {ms(median, 1)} ms; the longest:")
    for row in slow[:4]:
        print(f"{row['file']:28}{row['ptx_bytes']:9} bytes{ms(row['seconds'])} ms, again{row['again'] * 1e3:6.2f} ms")
    print("\nfresh device process:", ", ".join(f"{k} {ms(v, 1)} ms" for k, v in report["first_launch"].items()))
    big = report["big_indices"]
    print(f"int overflow in {big['elements']:,} elements: {big['fault']} after {big['seconds']:.2f} s, "
          f"{big['process_mib']} MiB (of these {big['of_these_new_mib']} MiB new)")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numba", metavar="PYTHON", help="a Python with Numba")
    parser.add_argument("--report", type=Path, help="where to write the numbers as JSON")
    options = parser.parse_args()
    report = {
        "machine": machine(),
        "big_indices": big_indices(),  # first, while the process is small
        "kernels": [asdict(row) for row in speed(options.numba)],
        "loads": loads(),
        "first_launch": latency(),
    }
    print_report(report)
    if options.report:
        options.report.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
