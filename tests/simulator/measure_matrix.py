"""Runs the matrix cases on an NVIDIA GPU of compute capability 9.0 and keeps what comes out.

``python tests/simulator/measure_matrix.py OUT``, which needs NumPy and the driver alone, writes
OUT/h200_matrix.npz: for each case the words of D (of integers their checksum), and under "refused" the names of what
the driver did not take.
``python tests/simulator/measure_matrix.py --compare OUT`` (here, without a GPU) prints how ours differ from those.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
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


class Gpu:
    def __init__(self) -> None:
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check("cuDeviceGet", ctypes.byref(device), 0)
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.check("cuCtxSetCurrent", context)
        self.buffers = []
        for _ in range(4):
            pointer = ctypes.c_uint64()
            self.check("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(WARPS * 32 * 32 * 8))
            self.buffers.append(pointer)

    def check(self, name: str, *arguments) -> None:
        if (code := getattr(self.cuda, name)(*arguments)) != 0:
            raise RuntimeError(f"{name} gave {code}")

    def run(self, case: Case) -> np.ndarray:
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), case.ptx().encode())
        self.check("cuModuleGetFunction", ctypes.byref(function), module, b"run")
        for buffer, array in zip(self.buffers[1:], laid_out(case), strict=True):
            data = array.tobytes()
            self.check("cuMemcpyHtoD_v2", buffer, data, ctypes.c_size_t(len(data)))
        parameters = (ctypes.c_void_p * 4)(*(ctypes.addressof(b) for b in self.buffers))
        self.check("cuLaunchKernel", function, WARPS, 1, 1, 32, 1, 1, 0, None, parameters, None)
        self.check("cuCtxSynchronize")
        result = ctypes.create_string_buffer(WARPS * case.counts()[0] * BITS[case.d] // 8)
        self.check("cuMemcpyDtoH_v2", result, self.buffers[0], ctypes.c_size_t(len(result)))
        self.check("cuModuleUnload", module)
        return result_of(case, result.raw)


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
