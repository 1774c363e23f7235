"""Runs the opcode cases on an NVIDIA GPU and keeps what comes out.

``python tests/simulator/measure_h200.py OUT [NAMES]``, which needs NumPy and the driver alone, writes
OUT/h200_opcodes.json (a hash of each exact case's result, and what the driver refused) and
OUT/h200_approximate.npz (every sixteenth result of the inexact cases); of the cases named in the file NAMES, one a
line, also all results, in OUT/values.npz, to see what differs.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from opcode_cases import BLOCK, BYTES, COUNT, HEADER, cases, inputs  # noqa: E402

GRID = COUNT // BLOCK


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
            self.check("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(COUNT * 8))
            self.buffers.append(pointer)

    def check(self, name: str, *arguments) -> None:
        if (code := getattr(self.cuda, name)(*arguments)) != 0:
            raise RuntimeError(f"{name} gave {code}")

    def run(self, case) -> bytes:
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), (HEADER + case.ptx()).encode())
        self.check("cuModuleGetFunction", ctypes.byref(function), module, b"run")
        for position, kind in enumerate(case.types[1:], 1):
            data = inputs(kind, position, case.ties).tobytes()
            self.check("cuMemcpyHtoD_v2", self.buffers[position], data, ctypes.c_size_t(len(data)))
        parameters = (ctypes.c_void_p * 4)(*(ctypes.addressof(b) for b in self.buffers))
        self.check("cuLaunchKernel", function, GRID, 1, 1, BLOCK, 1, 1, 0, None, parameters, None)
        self.check("cuCtxSynchronize")
        result = ctypes.create_string_buffer(COUNT * BYTES[case.types[0]])
        self.check("cuMemcpyDtoH_v2", result, self.buffers[0], ctypes.c_size_t(len(result)))
        self.check("cuModuleUnload", module)
        return result.raw


def main(out: Path, names: set[str]) -> None:
    gpu = Gpu()
    exact, refused, arrays, whole = {}, [], {}, {}
    for case in cases():
        try:
            result = gpu.run(case)
        except RuntimeError as error:
            refused.append([case.name, str(error)])
            continue
        array = np.frombuffer(result, f"u{BYTES[case.types[0]]}")
        if case.exact:
            exact[case.name] = hashlib.sha256(result).hexdigest()[:16]
            if case.name in names:
                whole[case.name] = array
        else:
            arrays[case.name] = array[::16]
    if whole:
        np.savez_compressed(out / "values.npz", **whole)
    record = {"exact": exact, "refused": refused}
    (out / "h200_opcodes.json").write_text(json.dumps(record, indent=0))
    np.savez_compressed(out / "h200_approximate.npz", **arrays)
    print(len(exact), "exact,", len(arrays), "approximate, refused:", refused)


if __name__ == "__main__":
    main(Path(sys.argv[1]), set(Path(sys.argv[2]).read_text().splitlines()) if len(sys.argv) > 2 else set())
