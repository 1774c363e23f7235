"""Runs the matrix cases on an NVIDIA GPU of compute capability 9.0 and keeps what comes out.

``python tests/simulator/measure_matrix.py OUT``, which needs NumPy and the driver alone, writes
OUT/h200_matrix.npz: for each case the words of D (of integers their checksum), and under "refused" the names of what
the driver did not take.
``python tests/simulator/measure_matrix.py --compare OUT`` (here, without a GPU) prints how ours differ from those.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "benchmarks")]
from cuda_driver import Driver  # noqa: E402
from matrix_cases import (  # noqa: E402
    BITS,
    WARPS,
    Case,
    cases,
    checksum,
    further_cases,
    laid_out,
    result_of,
    run_here,
)  # fmt: skip


class Gpu(Driver):
    def __init__(self) -> None:
        super().__init__()
        self.buffers = [self.buffer(WARPS * 32 * 32 * 8) for _ in range(4)]

    def run(self, case: Case) -> np.ndarray:
        module = self.load(case.ptx().encode())
        for buffer, array in zip(self.buffers[1:], laid_out(case), strict=True):
            self.write(buffer, array)
        self.launch(self.kernel(module, "run"), (WARPS, 1, 1), (32, 1, 1), self.buffers, 0)
        result = self.read(self.buffers[0], WARPS * case.counts()[0] * BITS[case.d] // 8)
        self.unload(module)
        return result_of(case, result)


def main(out: Path) -> None:
    gpu, found, refused = Gpu(), {}, []
    for case in cases() + further_cases():
        try:
            d = gpu.run(case)
            found[case.name] = checksum(d) if case.d == "s32" else d
        except RuntimeError as error:
            refused.append(case.name)
            print(case.name, error)
    np.savez_compressed(out / "h200_matrix.npz", refused=np.array(refused, dtype=str), **found)
    print(len(found), "cases,", len(refused), "refused")


def compare(folder: Path) -> None:
    """For each kind of input and type of sum: how many numbers, how many have equal bits."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from conftest import Bench

    from grader.simulator import Device

    measured, table = np.load(folder / "h200_matrix.npz"), {}
    with Device.in_process() as device:
        bench = Bench(device)
        for case in cases() + further_cases():
            if case.name not in measured or case.d == "s32":
                continue
            equal = run_here(bench, case) == measured[case.name]
            for warp in range(WARPS):
                row = table.setdefault((f"{case.a} -> {case.d}", case.kind_of(warp)), [0, 0])
                row[0] += equal[warp].size
                row[1] += int(equal[warp].sum())
    for (kinds, what), (count, equal) in sorted(table.items()):
        print(f"{kinds:14} {what:16} {count:7} numbers, {100 * equal / count:8.3f} % equal")


if __name__ == "__main__":
    if sys.argv[1] == "--compare":
        compare(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
