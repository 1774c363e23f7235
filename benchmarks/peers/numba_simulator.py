"""The benchmark's kernels in Numba's CUDA simulator, small.

Prints JSON: kernel -> [seconds, fraction of the full work].

Needs Numba, which the course does not: see ``benchmarks/simulator.py``.
"""

import os

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import json  # noqa: E402
import math  # noqa: E402
import statistics  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402
from numba import cuda, float32  # noqa: E402

TILE, ROWS, PRODUCT = 32, 8, 16


@cuda.jit
def masked_gelu(x, keep, y, count):
    k = cuda.grid(1)
    while k < count:
        v = float(x[k])
        y[k] = 0.5 * v * (1.0 + math.erf(v * 0.70710678)) if keep[k] else 0.0
        k += cuda.gridsize(1)


@cuda.jit
def transpose(x, y, width, height):
    tile = cuda.shared.array((TILE, TILE + 1), float32)
    column, row = cuda.blockIdx.x * TILE + cuda.threadIdx.x, cuda.blockIdx.y * TILE + cuda.threadIdx.y
    for k in range(0, TILE, ROWS):
        if column < width and row + k < height:
            tile[cuda.threadIdx.y + k, cuda.threadIdx.x] = x[row + k, column]
    cuda.syncthreads()
    column, row = cuda.blockIdx.y * TILE + cuda.threadIdx.x, cuda.blockIdx.x * TILE + cuda.threadIdx.y
    for k in range(0, TILE, ROWS):
        if column < height and row + k < width:
            y[row + k, column] = tile[cuda.threadIdx.x, cuda.threadIdx.y + k]


@cuda.jit
def softmax(x, y, columns):
    """The simulator has no shuffles of floats that the kernel could use: a tree in shared memory."""
    partial = cuda.shared.array(256, float32)
    me, threads, row = cuda.threadIdx.x, cuda.blockDim.x, cuda.blockIdx.x
    most = -math.inf
    for k in range(me, columns, threads):
        most = max(most, x[row, k])
    partial[me] = most
    half = threads // 2
    while half > 0:
        cuda.syncthreads()
        if me < half:
            partial[me] = max(partial[me], partial[me + half])
        half //= 2
    cuda.syncthreads()
    most = partial[0]
    cuda.syncthreads()
    total = 0.0
    for k in range(me, columns, threads):
        total += math.exp(x[row, k] - most)
    partial[me] = total
    half = threads // 2
    while half > 0:
        cuda.syncthreads()
        if me < half:
            partial[me] += partial[me + half]
        half //= 2
    cuda.syncthreads()
    scale = 1.0 / partial[0]
    for k in range(me, columns, threads):
        y[row, k] = math.exp(x[row, k] - most) * scale


@cuda.jit
def matmul(left, right, product, side):
    a = cuda.shared.array((PRODUCT, PRODUCT), float32)
    b = cuda.shared.array((PRODUCT, PRODUCT), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.blockIdx.y * PRODUCT + y, cuda.blockIdx.x * PRODUCT + x
    total = 0.0
    for start in range(0, side, PRODUCT):
        a[y, x] = left[row, start + x]
        b[y, x] = right[start + y, column]
        cuda.syncthreads()
        for k in range(PRODUCT):
            total += a[y, k] * b[k, x]
        cuda.syncthreads()
    product[row, column] = total


def main() -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((64, 64)).astype(np.float32)
    rows = random.standard_normal((2, 1024)).astype(np.float32)
    halves, keep = x.ravel().astype(np.float16), random.random(4096) < 0.7
    y, z = np.zeros_like(x), np.zeros_like(rows)
    out = np.zeros(4096, np.float16)
    small = x[:32, :32].copy()
    table = {
        "masked_gelu": (lambda: masked_gelu[4, 256](halves, keep, out, 4096), 4096 / 2**20),
        "transpose": (lambda: transpose[(2, 2), (32, 8)](x, y, 64, 64), 4096 / 2**20),
        "softmax": (lambda: softmax[2, 256](rows, z, 1024), 2 / 512),
        "matmul": (lambda: matmul[(2, 2), (16, 16)](small, small, np.zeros_like(small), 32), (32 / 256) ** 3),
    }
    found = {}
    for name, (work, fraction) in table.items():
        times = []
        for _ in range(3):
            began = time.process_time()
            work()
            times.append(time.process_time() - began)
        found[name] = [statistics.median(times), fraction]
    assert np.array_equal(y, x.T) and np.allclose(z.sum(1), 1, atol=1e-5)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
