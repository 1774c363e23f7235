"""Launch the kernels of one exercise's solution once, on a million elements, and print the simulated counters.

    python benchmarks/launch_solution.py masked-gelu-forward simulated|cuda

On CUDA nothing is printed: Nsight Compute, which runs this script there, reads the counters. The buffers are 512-byte
aligned on both devices, since the number of sectors depends on it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

N, BLOCK = 1 << 20, 256
ROOT = Path(__file__).resolve().parent.parent


def arguments(cp, kinds: tuple[str, ...]) -> list:
    """Buffers and scalars by the signature's kinds. Every buffer holds random bytes, enough for N elements."""
    rng = np.random.default_rng(1)
    made = []
    for kind in kinds:
        if kind == "pointer":
            made.append(cp.asarray(rng.integers(0, 2, 4 * N, dtype=np.uint8)))
        else:
            made.append(
                {"long long": np.int64(N), "int": np.int32(N), "float": np.float32(2), "double": np.float64(2)}[kind]
            )
    return made


def main() -> None:
    slug, device = sys.argv[1:3]
    os.environ["GRADER_DEVICE"] = device
    from grader import course, gpu
    from grader.exercises.runner import plan_of
    from grader.gpu import cupy as cp

    exercise = course.find(slug)
    source = (ROOT / "solutions" / exercise.chapter / exercise.files[0]).read_text()
    module = cp.RawModule(code=source, options=("-std=c++17",))
    with gpu.profile() as p:
        for name, signature in plan_of(exercise).kernels.items():
            grid = -(-N // BLOCK)
            module.get_function(name)((grid,), (BLOCK,), tuple(arguments(cp, signature.parameters)))
        cp.cuda.Device().synchronize()
    if device == "simulated":
        print(
            json.dumps(
                {name: {k: int(v) for k, v in p.counters[name].items() if k.endswith(".sum")} for name in p.counters}
            )
        )


if __name__ == "__main__":
    main()
