"""Products that leave ``int`` past 2^31 elements: found in under a second, in under 1 GB, with races looked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import HERE, compile_text
from small_kernels import KERNEL

DOUBLED = """extern "C" __global__ void doubled(const float* x, float* y, int rows, int columns)
{
    int row = blockIdx.x;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        INDEX k = INDEX(row) * columns + column;
        y[k] = 2 * x[k];
    }
}"""
ROWS, COLUMNS = 40_000, 65_536  # 2.6e9 elements, 10 GB each buffer
LAST_SAFE = 2**31 // COLUMNS - 1  # the last row that an int reaches

# In a process of its own, whose size is then this launch's.
CHILD = """
import json, resource, struct, sys, time
from grader.simulator import Device

ptx, rows, columns, first, last, races = json.load(sys.stdin)
with Device.in_process() as device:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    module = device.load(ptx)
    x = device.alloc(4 * rows * columns, name="x", sparse=True)
    y = device.alloc(4 * rows * columns, name="y", sparse=True)
    device.write(x + 4 * (rows - 1) * columns, struct.pack("<f", 21.0))
    launch = device.launch(module, "doubled", (rows,), (256,), struct.pack("<QQii", x, y, rows, columns),
                           blocks=(first, last), races=races)
    fault = launch.fault
    print(json.dumps({
        "seconds": time.process_time() - began,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "fault": fault and [fault.kind, fault.block[0], fault.line, fault.buffer, fault.offset],
        "last": struct.unpack("<f", device.read(y + 4 * (rows - 1) * columns, 4))[0],
    }))
"""


def run(index: str, first: int, last: int, races: bool) -> dict:
    ptx = compile_text(DOUBLED.replace("INDEX", index))
    done = subprocess.run(
        [sys.executable, "-c", CHILD], cwd=HERE.parent.parent, capture_output=True, text=True,
        input=json.dumps([ptx, ROWS, COLUMNS, first, last, races]),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["seconds"] < 1 and found["mib"] < 1000, found
    return found


@pytest.mark.parametrize("races", [False, True])
def test_an_int_that_overflows_is_found_at_the_first_element_past_its_end(races):
    fault = run("int", LAST_SAFE, LAST_SAFE + 2, races)["fault"]
    assert fault[:3] == ["out_of_bounds", LAST_SAFE + 1, 6]
    assert fault[3] in ("x", "y") and fault[4] == -(2**33)


@pytest.mark.parametrize("races", [False, True])
def test_a_wide_index_is_right_in_the_last_rows(races):
    found = run("size_t", ROWS - 3, ROWS, races)
    assert found["fault"] is None and found["last"] == 42.0


def test_chosen_blocks_of_a_huge_grid(bench):
    """Sparse memory and a few blocks reach an index past 2^31."""
    text = (
        KERNEL
        + """(unsigned char* y, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1;
}"""
    )
    n = (1 << 32) + 5
    y = bench.device.alloc(n, name="y", sparse=True)
    blocks = -(-n // 256)
    size = n.to_bytes(8, "little")
    module = bench.load(text)
    for first in (0, blocks - 1):
        options = {"blocks": (first, first + 1)}
        assert bench.launch(module, "k", (blocks,), (256,), y, size, **options).fault is None
    assert bench.device.read(y + n - 6, 6) == b"\0" + b"\1" * 5
    assert bench.device.read(y, 257) == b"\1" * 256 + b"\0"


def test_an_index_that_overflows_is_caught(bench):
    text = (
        KERNEL
        + """(unsigned char* y, long long n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1;
}"""
    )
    n = (1 << 31) + 300
    y = bench.device.alloc(n, name="y", sparse=True)
    blocks = -(-n // 256)
    size = n.to_bytes(8, "little")
    launch = bench.launch(bench.load(text), "k", (blocks,), (256,), y, size, blocks=(blocks - 1, blocks))
    assert (launch.fault.kind, launch.fault.buffer) == ("out_of_bounds", "y")
