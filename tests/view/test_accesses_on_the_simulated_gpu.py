"""The picture and the simulated GPU count the same sectors."""

import numpy as np
import pytest

from grader.gpu import mirror as cp
from grader.gpu import profile, trace_warp
from grader.view import access_map
from grader.view.accesses import accesses, choose
from grader.view.banks import bank_access

CODE = r"""
extern "C" __global__ void load(const TYPE* x, TYPE* y, int first)
{
    int t = threadIdx.x;
    TYPE value = x[first + (INDEX)];
    if (value == (TYPE)77) y[t] = value;
}
"""


@pytest.mark.parametrize(
    "index, expression, ctype, itemsize, first",
    [
        (lambda t: t, "t", "float", 4, 0),
        (lambda t: t, "t", "float", 4, 1),
        (lambda t: 32 * t, "32 * t", "float", 4, 0),
        (lambda t: 2 * t, "2 * t", "short", 2, 0),
        (lambda t: t, "t", "char", 1, 0),
        (lambda t: t, "t", "double", 8, 3),
        (lambda t: 7, "7", "int", 4, 0),
        (lambda t: 31 - t, "31 - t", "int", 4, 0),
        (lambda t: t * t, "t * t", "int", 4, 0),
    ],
)
def test_counts_agree(gpu, index, expression, ctype, itemsize, first):
    code = CODE.replace("TYPE", ctype).replace("INDEX", expression)
    x, y = cp.zeros(1100 * itemsize, cp.uint8), cp.zeros(32 * itemsize, cp.uint8)
    with profile() as p:
        cp.RawKernel(code, "load")((1,), (32,), (x, y, first))
    picture = accesses(index, itemsize, first * itemsize)
    assert p.counters["load"]["load_sectors_per_request"] == picture.sectors
    (load,) = (s for s in trace_warp(cp.RawKernel(code, "load"), (1,), (32,), (x, y, first)).steps if s.space)
    assert load.sectors == picture.sectors and load.width == itemsize


SHARED = r"""
extern "C" __global__ void store(TYPE* y, const int* index)
{
    __shared__ TYPE tile[34 * 32];
    int t = threadIdx.x;
    tile[index[t]] = y[t];
    __syncthreads();
    y[t] = tile[index[t]];
}
"""
INDICES = (
    lambda t: t, lambda t: 32 * t, lambda t: 33 * t, lambda t: 2 * t, lambda t: 7, lambda t: t ^ 5, lambda t: t // 2
)  # fmt: skip


@pytest.mark.parametrize("ctype, itemsize", [("float", 4), ("double", 8), ("float4", 16), ("short", 2), ("char", 1)])
def test_banks_agree(gpu, ctype, itemsize):
    code = SHARED.replace("TYPE", ctype).replace("34 * 32", "32 * 33")
    kernel = cp.RawKernel(code, "store")
    y = cp.zeros(32 * itemsize, cp.uint8)
    for index in INDICES:
        where = cp.asarray(np.array([index(t) for t in range(32)], np.int32))
        view = trace_warp(kernel, (1,), (32,), (y, where))
        step = choose(view, None, 0, "load", "shared")
        touched = {lane: step.addresses[lane] for lane in range(32)}
        assert bank_access(touched, itemsize).wavefronts == step.wavefronts
        picture = access_map(view, kind="load", space="shared", title="load")
        assert f"{step.wavefronts} wavefront" in picture.alt


def test_a_map_of_a_launch(traced):
    view = traced("reduce", warp=1)
    picture = access_map(view, kind="load")
    assert "4 sectors, 128 of 128 bytes used" in picture.alt and "begin at byte 128, 160" in picture.alt
    assert "line 4, load, float32[64]: kernel reduce, block (0, 0, 0), warp 1" in picture.alt
    with pytest.raises(ValueError, match="line 4 .load, global., line 7 .store, global."):
        access_map(view)
    with pytest.raises(ValueError, match="no access fits"):
        access_map(view, line=5)
    with pytest.raises(ValueError, match="1 such"):
        access_map(view, line=4, number=1)
