"""How fast the simulated GPU is: ``python benchmarks/simulator.py``.

Processor time of one thread, median of five launches, with counters and bounds checks on; NumPy does the same
work beside it. A second table tells what a learner waits for: a fresh device process, a load, a first launch.
"""

from __future__ import annotations

import statistics
import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from grader.simulator import Device
from grader.toolchain.kernel import compile_kernel
from grader.toolchain.records import Source

KERNELS = Path(__file__).parent.parent / "tests" / "simulator" / "kernels"
SIDE = 1024
COUNT = SIDE * SIDE
ROUNDS = 5


def compiled(name: str) -> str:
    result = compile_kernel(Source(files={name: (KERNELS / name).read_bytes()}, main=name))
    if result.ptx is None:
        raise SystemExit(result.message)
    return result.ptx


def median_seconds(work: Callable[[], object]) -> float:
    """Processor time, so that other programs on the machine disturb little."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times)


def gelu(x: np.ndarray, keep: np.ndarray) -> np.ndarray:
    v = x.astype(np.float32)
    inner = np.float32(0.7978845608) * (v + np.float32(0.044715) * v * v * v)
    return (np.float32(0.5) * v * (1 + np.tanh(inner)) * keep).astype(np.float16)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def speed() -> None:
    random = np.random.default_rng(1)
    singles = random.standard_normal((SIDE, SIDE)).astype(np.float32)
    halves, keep = singles.astype(np.float16), random.random((SIDE, SIDE)) < 0.7
    with Device.in_process() as device:

        def put(data: np.ndarray) -> int:
            address = device.alloc(data.nbytes)
            device.write(address, data)
            return address

        elementwise, shared = (
            device.load(compiled("elementwise.cu")),
            device.load(compiled("shared_memory.cu")),
        )
        matmul = device.load(compiled("matmul.cu"))
        x16, x32, mask, y = put(halves), put(singles), put(keep), device.alloc(4 * COUNT)
        small = singles[:256, :256].copy()
        a, b = put(small), put(small.T.copy())
        pointers = struct.pack("<QQ", x32, y)
        square = struct.pack("<ii", SIDE, SIDE)
        masked = struct.pack("<QQQi", x16, mask, y, COUNT)
        table = [
            ("masked_gelu, 1M f16", elementwise, "masked_gelu", (1024,), (256,), masked, None),
            (
                "masked_gelu_tanh, 1M f16",
                elementwise,
                "masked_gelu_tanh",
                (1024,),
                (256,),
                masked,
                lambda: gelu(halves, keep),
            ),
            (
                "transpose_naive, 1024x1024",
                shared,
                "transpose_naive",
                (32, 32),
                (32, 8),
                pointers + square,
                None,
            ),
            (
                "transpose_padded, 1024x1024",
                shared,
                "transpose_padded",
                (32, 32),
                (32, 8),
                pointers + square,
                lambda: singles.T.copy(),
            ),
            (
                "softmax_rows, 512x1024",
                shared,
                "softmax_rows",
                (512,),
                (256,),
                pointers + struct.pack("<i", SIDE),
                lambda: softmax(singles[:512]),
            ),
            (
                "matmul, 256^3 tiled",
                matmul,
                "matmul",
                (16, 16),
                (16, 16),
                struct.pack("<QQQi", a, b, y, 256),
                lambda: small @ small.T,
            ),
        ]
        print(f"{'kernel':30} {'median ms':>10} {'G thread-instructions/s':>24} {'NumPy ms':>10}")
        for title, module, kernel, grid, block, args, peer in table:
            launch = device.launch(module, kernel, grid, block, args)
            if launch.fault is not None:
                raise SystemExit(launch.fault.sentence)
            seconds = median_seconds(lambda m=module, k=kernel, g=grid, t=block, p=args: device.launch(m, k, g, t, p))
            rate = launch.estimates["ptx_thread_instructions"] / seconds / 1e9
            beside = f"{median_seconds(peer) * 1e3:10.1f}" if peer else f"{'':>10}"
            print(f"{title:30} {seconds * 1e3:10.1f} {rate:24.2f} {beside}")


def latency() -> None:
    ptx = compiled("elementwise.cu")
    rows = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with Device.simulated() as device:
            started = time.perf_counter()
            module = device.load(ptx)
            loaded = time.perf_counter()
            x, mask, y = device.alloc(2048), device.alloc(1024, fill=1), device.alloc(2048)
            device.launch(module, "masked_gelu", (4,), (256,), struct.pack("<QQQi", x, mask, y, 1024))
            ended = time.perf_counter()
        rows.append((started - began, loaded - started, ended - loaded, ended - began))
    print()
    print(f"{'start ms':>10} {'load ms':>10} {'launch ms':>10} {'together':>10}   (wall time)")
    print(" ".join(f"{statistics.median(column) * 1e3:10.1f}" for column in zip(*rows, strict=True)))


if __name__ == "__main__":
    speed()
    latency()
