"""The kernel bench on the simulated GPU: what it passes, and what no kernel gets past it."""

import numpy as np
import pytest

from grader.checks import Case, In, Out, grid_1d
from grader.exercises.bench import KernelBench, pack
from grader.exercises.kernel import Signature, _signature
from grader.simulator.records import Parameter
from grader.verdict import State

HEAD = 'extern "C" __global__ void k(const float* x, float* y, long long n) '
INDEX = "long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; "


def bench(body, head=HEAD):
    return KernelBench({"k.cu": (head + "{ " + body + " }").encode()}, "k.cu", kind="simulated")


def case(n):
    x = np.arange(n, dtype=np.float32)
    return Case(
        kernel="k", arguments=(In("x", x), Out("y", (n,), np.float32), np.int64(n)), grid=grid_1d(n), block=(256, 1, 1),
        expected={"y": 2.0 * x}, label=f"n = {n}",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "state", "words"),
    [
        ("if (i < n) y[i] = 2 * x[i];", State.PASS, "n = 300"),
        ("if (i < n) y[i] = 3 * x[i];", State.FAIL, "y[1] is 3.0, expected 2.0"),
        ("if (i < n - 1) y[i] = 2 * x[i];", State.FAIL, "y[0] was never written"),
        ("y[i] = 2 * x[i];", State.FAIL, "byte 4 of buffer"),
        ("if (i < n) { y[i] = 0 * y[i]; y[i] += 2 * x[i]; }", State.FAIL, "nor a kernel has written"),
        ("if (i < n && __float_as_uint(y[i]) == 0xCDCDCDCD) y[i] = 2 * x[i];", State.FAIL, "nor a kernel has written"),
        ("volatile int on = 1; while (on) {} y[i] = 1;", State.TIMEOUT, "n = 1"),
    ],
)
def test_the_smallest_failing_case_is_told(body, state, words):
    with bench(INDEX + body) as b:
        b.budget = 100_000
        finding = b.first_failure(case(n) for n in (1, 300))
    assert finding.state is state and words in finding.message


def test_no_case_is_no_pass():
    with bench("") as b, pytest.raises(ValueError, match="no case"):
        b.first_failure([])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("const float* x, float* y, long long n", None),
        ("const float* x, float* y, unsigned long long n", None),
        ("const float* x, float* y, int n", "Parameter 3 of k is a 32-bit integer, a 64-bit integer or pointer is"),
        ("const float* x, float* y, double n", "Parameter 3 of k is a double"),
        ("const float* x, float* y, S n", "Parameter 3 of k is a structure of 8 bytes"),
        ("const float* x, float* y", "k takes 2 parameters, 3 are passed"),
    ],
)
def test_signatures(parameters, words):
    with bench("", f'struct S {{ int a, b; }};\nextern "C" __global__ void k({parameters}) ') as b:
        finding = _signature(b, {"k": Signature("k(…)", ("pointer", "pointer", "long long"))})
    assert finding.state is (State.PASS if words is None else State.FAIL)
    assert words is None or words in finding.message


def test_another_name_is_told():
    with bench("", 'extern "C" __global__ void other(float* x) ') as b:
        finding = _signature(b, {"k": Signature("k(float* x)", ("pointer",))})
    assert "There is no kernel k; the file has: other." in finding.message


def test_arguments_that_do_not_fit_are_refused():
    parameters = (Parameter(type="u64", size=8, align=8, offset=0), Parameter(type="u32", size=4, align=4, offset=8))
    assert pack(parameters, (np.int64(1), np.int32(2))) == (np.int64(1).tobytes() + np.int32(2).tobytes(), {})
    buffer = In("x", np.zeros(3, np.float32))
    assert pack(parameters, (buffer, np.int32(2))) == (bytes(8) + np.int32(2).tobytes(), {"x": 0})
    with pytest.raises(ValueError, match="8 bytes for a parameter of 4"):
        pack(parameters, (np.int64(1), np.int64(2)))
    with pytest.raises(ValueError, match="1 arguments"):
        pack(parameters, (np.int64(1),))
