"""How far the simulated GPU's approximate and library functions are from an NVIDIA GPU's.

``python tests/simulator/measure_ulp.py OUT`` needs NumPy, g++, the driver and NVRTC or nvcc. Both devices run the
same PTX on 1,048,576 inputs a function (of f16 and bf16 all 65,536); OUT/h200_ulp.csv has a row for each function,
or two where two bounds are documented: for which operands, the largest difference in the unit of the bound, with
which operands, how many results differ. ``--summary FILE`` prints the table of docs/measurements.md.
"""

from __future__ import annotations

import csv
import datetime
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1]), str(HERE.parents[1] / "benchmarks")]
from cuda_driver import Driver  # noqa: E402
from documented_bounds import Bound, bounds  # noqa: E402
from math_functions import TYPES, distance, expressions, inputs, numbers, source  # noqa: E402

from grader.simulator import Device  # noqa: E402

BLOCK = 256
BUDGET = 1 << 36  # warp instructions: fmod subtracts once for each binary place
COUNTS = {"float": 1 << 20, "double": 1 << 20, "__half": 1 << 16, "__nv_bfloat16": 1 << 16}


def compiled(arch: str = "compute_90") -> str:
    """The PTX of all kernels, by nvcc, else by NVRTC."""
    with tempfile.TemporaryDirectory() as folder:
        text, target = Path(folder) / "functions.cu", Path(folder) / "functions.ptx"
        text.write_text(source())
        try:
            command = ["nvcc", "-w", "-ptx", "-std=c++17", f"-arch={arch}", str(text), "-o", str(target)]
            subprocess.run(command, check=True)
            return target.read_text()
        except (OSError, subprocess.CalledProcessError):
            from grader.toolchain.kernel import compile_kernel
            from grader.toolchain.records import Source

            result = compile_kernel(Source(files={"f.cu": source().encode()}, main="f.cu"), arch=arch)
            if not result.ptx:
                raise RuntimeError(result.message) from None
            return result.ptx


class Gpu(Driver):
    def __init__(self, ptx: str) -> None:
        super().__init__()
        self.module = self.load(ptx.encode())
        self.buffers = [self.buffer(8 * max(COUNTS.values())) for _ in range(4)]

    def run(self, kernel: str, data: list[np.ndarray]) -> np.ndarray:
        for buffer, array in zip(self.buffers[1:], data, strict=True):
            self.write(buffer, array)
        grid = (data[0].size // BLOCK, 1, 1)
        self.launch(self.kernel(self.module, kernel), grid, (BLOCK, 1, 1), self.buffers, 0)
        return np.frombuffer(self.read(self.buffers[0], data[0].nbytes), data[0].dtype)


class Simulated:
    """The same calls on the simulated GPU."""

    name = "simulated GPU"

    def __init__(self, device: Device, ptx: str, most: int = max(COUNTS.values())) -> None:
        self.device, self.module = device, device.load(ptx)
        self.buffers = [device.alloc(8 * most) for _ in range(4)]

    def run(self, kernel: str, data: list[np.ndarray]) -> np.ndarray:
        for buffer, array in zip(self.buffers[1:], data, strict=True):
            self.device.write(buffer, array)
        arguments = struct.pack("<4Q", *self.buffers)
        grid = (data[0].size // BLOCK,)
        launch = self.device.launch(
            self.module, kernel, grid, (BLOCK,), arguments, count=False, races=False, instruction_budget=BUDGET
        )
        if launch.fault is not None:
            raise RuntimeError(f"{kernel}: {launch.fault.sentence}")
        return np.frombuffer(self.device.read(self.buffers[0], data[0].nbytes), data[0].dtype)


COLUMNS = "function operands inputs unit largest bound within different nan_alone with gpu date".split()


def verdict(largest: float, bound: float | None) -> str:
    """Within the documented error, within twice of it (as any two devices that keep it are), or not."""
    if bound is None:
        return ""
    return "yes" if largest <= bound else "twice" if largest <= 2 * bound else "no"


def apart(unit: str, ours: np.ndarray, theirs: np.ndarray, t: str) -> np.ndarray:
    """The differences in that unit; inf where one result alone is no number."""
    ulps = distance(ours, theirs, t)
    if unit.endswith("ulp"):
        return ulps / 2**32 if unit == "high ulp" else ulps
    a, b = numbers(ours, t), numbers(theirs, t)
    with np.errstate(all="ignore"):
        difference = np.abs(a - b) / (np.abs(b) if unit == "relative" else 1.0)
    return np.where(np.isinf(ulps) | (ulps == 0), ulps, difference)


def row(name: str, t: str, bound: Bound, ours: np.ndarray, theirs: np.ndarray, data: list[np.ndarray]) -> list:
    """One line of the table."""
    with np.errstate(all="ignore"):
        inside = bound.inside(numbers(data[0], t), numbers(data[1], t))
    ours, theirs, data = ours[inside], theirs[inside], [array[inside] for array in data]
    differences = apart(bound.unit, ours, theirs, t)
    nan = int(np.isinf(distance(ours, theirs, t)).sum())
    finite = np.where(np.isnan(numbers(ours, t)) != np.isnan(numbers(theirs, t)), 0.0, differences)
    worst = int(finite.argmax())
    largest = float(finite[worst])
    where = " ".join(f"{int(array[worst]):#x}" for array in data) if largest else ""
    most = "" if bound.most is None else f"{bound.most:.4g}"
    found = [f"{largest:.6g}", most, verdict(largest, bound.most), int((differences > 0).sum()), nan, where]
    return [name, bound.where, ours.size, bound.unit, *found]


def main(out: Path) -> None:
    ptx = compiled()
    gpu = Gpu(ptx)
    given = {t: inputs(t, COUNTS[t]) for t in TYPES}
    with Device.in_process() as device, (out / "h200_ulp.csv").open("w", newline="") as file:
        simulated = Simulated(device, ptx)
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for k, expression in enumerate(expressions()):
            data = given[expression.type]
            ours, theirs = simulated.run(f"f{k}", data), gpu.run(f"f{k}", data)
            for bound in bounds(expression.name):
                line = row(expression.name, expression.type, bound, ours, theirs, data)
                table.writerow([*line, gpu.name, datetime.date.today().isoformat()])
                print(*line, flush=True)


def group(name: str) -> str:
    """Under which line of the summary a function falls."""
    expression = next(e for e in expressions() if e.name == name)
    if ".approx" in name or ".full" in name:
        return "approximate instructions"
    if "half" in expression.type or "bfloat16" in expression.type:
        return "functions of f16 and bf16"
    if name.startswith("__") and expression.type == "float":
        return "intrinsics of float (`__sinf`)"
    return f"functions of {expression.type}"


def summary(lines: list[dict]) -> str:
    """Markdown: for each group the rows, how many are equal in every bit, and how the others keep their bounds."""
    groups: dict[str, list[dict]] = {}
    for line in lines:
        if line["date"]:
            groups.setdefault(group(line["function"]), []).append(line)
    text = "| | rows | equal in every bit | within the documented error | within twice | beyond | without a bound |\n"
    text += "|---|---|---|---|---|---|---|\n"
    for name, rows in groups.items():
        equal = sum(line["different"] == "0" for line in rows)
        others = [line["within"] for line in rows if line["different"] != "0"]
        counts = [len(rows), equal, *(others.count(word) for word in ("yes", "twice", "no", ""))]
        text += f"| {name} | {' | '.join(map(str, counts))} |\n"
    return text


if __name__ == "__main__":
    if sys.argv[1] == "--summary":
        with open(sys.argv[2]) as table:
            print(summary(list(csv.DictReader(table))), end="")
    else:
        main(Path(sys.argv[1]))
