"""The picture and the simulated GPU count the same sectors."""

import pytest

from grader.gpu import mirror as cp
from grader.gpu import profile
from grader.gpu.mirror import context as contexts
from grader.view.accesses import accesses

CODE = r"""
extern "C" __global__ void load(const TYPE* x, TYPE* y, int first)
{
    int t = threadIdx.x;
    TYPE value = x[first + (INDEX)];
    if (value == (TYPE)77) y[t] = value;
}
"""


@pytest.fixture(scope="module")
def context():
    context = contexts.Context()
    yield context
    context.close()


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
def test_counts_agree(monkeypatch, context, index, expression, ctype, itemsize, first):
    monkeypatch.setenv("GRADER_DEVICE", "simulated")
    monkeypatch.setattr(contexts, "_current", context)
    code = CODE.replace("TYPE", ctype).replace("INDEX", expression)
    x, y = cp.zeros(1100 * itemsize, cp.uint8), cp.zeros(32 * itemsize, cp.uint8)
    with profile() as p:
        cp.RawKernel(code, "load")((1,), (32,), (x, y, first))
    picture = accesses(index, itemsize, first * itemsize)
    assert p.counters["load"]["load_sectors_per_request"] == picture.sectors
