"""The mirror on the real simulated GPU, with the real compiler."""

import numpy as np
import pytest

from grader import gpu
from grader.gpu import mirror as cp
from grader.gpu.mirror import context as contexts
from grader.gpu.mirror.errors import CompileException, DeviceFault

CODE = r"""#include "kernel_types.cuh"
extern "C" __global__ void scale(const float* x, float* y, int n, float s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = s * x[i];
}

extern "C" __global__ void one_too_many(float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = 1.0f;
}

extern "C" __global__ void forever(float* y)
{
    for (volatile int i = 0; i >= 0; i = 1) {}
}

struct Three { double a; float b; short c; };

extern "C" __global__ void by_value(double* out, Three three, signed char d, bool e)
{
    out[0] = three.a; out[1] = three.b; out[2] = three.c; out[3] = d; out[4] = e;
}
"""


@pytest.fixture(scope="module")
def context():
    context = contexts.Context()
    yield context
    context.close()


@pytest.fixture(autouse=True)
def _simulated(monkeypatch, context):
    monkeypatch.setenv("GRADER_DEVICE", "simulated")
    monkeypatch.setattr(contexts, "_current", context)


@pytest.fixture(scope="module")
def module():
    return cp.RawModule(code=CODE, options=gpu.kernel_options())


def test_a_chapters_code(module):
    x = cp.asarray(np.arange(1000, dtype=np.float32))
    y = cp.empty_like(x)
    with gpu.profile() as p:
        module.get_function("scale")((4,), (256,), (x, y, 1000, np.float32(0.5)))
    cp.cuda.Stream.null.synchronize()
    assert np.array_equal(cp.asnumpy(y), np.arange(1000, dtype=np.float32) / 2)
    counters = p.counters["scale"]
    assert counters["bytes_loaded"] == counters["bytes_stored"] == 4000
    assert counters["load_sectors_per_request"] == 125 / 32  # the last warp has 8 threads in range
    (line,) = [row for row in p.lines["scale"] if row["counters"]]
    assert line["line"] == 5
    assert 0.9 < p.estimates["scale"]["ptx_lane_efficiency"] < 1


def test_arguments_of_every_kind_arrive(module):
    three = np.zeros(1, np.dtype([("a", "f8"), ("b", "f4"), ("c", "i2")], align=True))
    three["a"], three["b"], three["c"] = 1.5, -2.25, -3
    out = cp.zeros(5, cp.float64)
    module.get_function("by_value")((1,), (1,), (out, three, np.int8(-4), True))
    assert out.get().tolist() == [1.5, -2.25, -3, -4, 1]


def test_a_step_too_far_is_told_with_its_place_and_argument(module):
    y = cp.zeros(100, cp.float32)
    with pytest.raises(DeviceFault) as caught:
        module.get_function("one_too_many")((1,), (128,), (y, 100))
    fault = caught.value.fault
    assert (fault.kind, fault.line, fault.thread, fault.offset) == ("out_of_bounds", 11, (100, 0, 0), 400)
    assert "(argument 1, float32 of shape (100,): element 100, and the last is 99)" in str(caught.value)
    with pytest.raises(RuntimeError, match="lost when kernel one_too_many failed"):
        y.get()
    fresh = cp.ones(4, cp.float32)
    module.get_function("scale")((1,), (4,), (fresh, fresh, 4, np.float32(2)))
    assert fresh.get().tolist() == [2, 2, 2, 2]


def test_a_block_too_large_is_refused_and_nothing_is_lost(module):
    x = cp.ones(4, cp.float32)
    with pytest.raises(DeviceFault, match="INVALID_VALUE.*1024"):
        module.get_function("scale")((1,), (2048,), (x, x, 4, np.float32(1)))
    assert x.get().tolist() == [1, 1, 1, 1]


def test_a_source_that_does_not_compile_shows_the_line():
    with pytest.raises(CompileException) as caught:
        cp.RawKernel('extern "C" __global__ void f(int* x)\n{\n    x[0] = y;\n}', "f").compile()
    assert 'kernel.cu(3): error: identifier "y" is undefined\n    3 |     x[0] = y;' in str(caught.value)


def test_a_wrong_width_is_refused_before_the_launch(module):
    x = cp.ones(4, cp.float32)
    with pytest.raises(TypeError, match="argument 4 of kernel scale is a Python float .*np.float32"):
        module.get_function("scale")((1,), (4,), (x, x, 4, 0.5))


def test_a_kernel_that_never_ends_is_stopped(module, monkeypatch):
    y = cp.zeros(1, cp.float32)
    device = contexts.current().device
    launch = device.launch
    monkeypatch.setattr(device, "launch", lambda *args, **options: launch(*args, instruction_budget=10_000, **options))
    with pytest.raises(DeviceFault, match="LAUNCH_TIMEOUT") as caught:
        module.get_function("forever")((1,), (1,), (y,))
    assert caught.value.fault.kind == "budget" and caught.value.fault.line == 16


def test_subnormals_are_flushed_as_cupy_has_nvrtc_do(context):
    code = 'extern "C" __global__ void half_of(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * 0.5f; }'
    y = cp.empty(2, cp.float32)
    cp.RawKernel(code, "half_of")((1,), (2,), (cp.asarray(np.array([1e-39, 1], np.float32)), y))
    assert cp.asnumpy(y).tolist() == [0.0, 0.5]


def test_an_array_of_empty_that_is_read_says_how_to_make_one_that_may_be():
    kernel = cp.RawKernel('extern "C" __global__ void k(float* y) { y[threadIdx.x] += 1; }', "k")
    with pytest.raises(DeviceFault, match=r"yet \(argument 1, .*\): cp.empty leaves memory unwritten; use cp.zeros"):
        kernel((1,), (32,), (cp.empty(32, np.float32),))
