"""Runs the opcode cases on an NVIDIA GPU and keeps what comes out.

``python tests/simulator/measure_h200.py OUT [NAMES]``, which needs NumPy and the driver alone, writes
OUT/h200_opcodes.json (a hash of each exact case's result, and what the driver refused) and
OUT/h200_approximate.npz (every sixteenth result of the inexact cases); of the cases named in the file NAMES, one a
line, also all results, in OUT/values.npz, to see what differs.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "benchmarks")]
from cuda_driver import Driver  # noqa: E402
from opcode_cases import BLOCK, BYTES, COUNT, HEADER, cases, inputs  # noqa: E402

GRID = COUNT // BLOCK


class Gpu(Driver):
    def __init__(self) -> None:
        super().__init__()
        self.buffers = [self.buffer(COUNT * 8) for _ in range(4)]

    def run(self, case) -> bytes:
        module = self.load((HEADER + case.ptx()).encode())
        for position, kind in enumerate(case.types[1:], 1):
            self.write(self.buffers[position], inputs(kind, position, case.ties))
        self.launch(self.kernel(module, "run"), (GRID, 1, 1), (BLOCK, 1, 1), self.buffers, 0)
        result = self.read(self.buffers[0], COUNT * BYTES[case.types[0]])
        self.unload(module)
        return result


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
