"""CUDA's math library on the simulated GPU: what the compiler makes of each function, run whole."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import compile_text
from documented_bounds import bounds
from math_functions import TYPES, distance, expressions, inputs, source
from measure_ulp import Simulated
from small_kernels import KERNEL

from grader.simulator import Device

COUNT = 1024
EXPRESSIONS = expressions()
GIVEN = {t: inputs(t, COUNT) for t in TYPES}


@pytest.fixture(scope="module")
def results() -> dict[str, np.ndarray]:
    with Device.in_process() as device:
        simulated = Simulated(device, compile_text(source(), arch="compute_90"), COUNT)
        return {e.name: simulated.run(f"f{k}", GIVEN[e.type]) for k, e in enumerate(EXPRESSIONS)}


def test_every_function_runs(results):
    assert len(results) == len(EXPRESSIONS) > 200


# The functions in double precision.
FLOATS = {
    "sinf": math.sin, "cosf": math.cos, "tanf": math.tan, "asinf": math.asin, "acosf": math.acos,
    "atanf": math.atan, "sinhf": math.sinh, "coshf": math.cosh, "tanhf": math.tanh,
    "asinhf": math.asinh, "acoshf": math.acosh, "atanhf": math.atanh, "expf": math.exp,
    "expm1f": math.expm1, "logf": math.log, "log2f": math.log2, "log10f": math.log10,
    "log1pf": math.log1p, "sqrtf": math.sqrt, "erff": math.erf, "erfcf": math.erfc,
    "tgammaf": math.gamma, "cbrtf": np.cbrt, "exp2f": np.exp2, "powf": math.pow,
    "atan2f": math.atan2, "hypotf": math.hypot, "fmodf": math.fmod,
}  # fmt: skip


def exactly(function, *arguments: float) -> float:
    try:
        with np.errstate(all="ignore"):
            return float(function(*arguments))
    except (ValueError, OverflowError):
        return math.nan


@pytest.mark.parametrize("name", FLOATS)
def test_float_functions_are_as_near_as_the_guide_says(results, name):
    function, bound = FLOATS[name], bounds(name)[0].most
    count = 2 if name in ("powf", "atan2f", "hypotf", "fmodf") else 1
    with np.errstate(all="ignore"):
        arguments = [data.view(np.float32).astype(np.float64) for data in GIVEN["float"][:count]]
        truth = np.array([exactly(function, *values) for values in zip(*arguments, strict=True)]).astype(np.float32)
    usual = np.isfinite(truth) & (np.abs(truth) >= 2.0**-126)
    assert usual.sum() > 200
    apart = distance(results[name], truth.view(np.uint32), "float")
    assert apart[usual].max() <= bound + 1  # the truth itself is rounded


def test_functions_side_by_side_in_one_kernel(bench):
    text = (
        KERNEL
        + """(const float* x, float* y, double* d)
{
    int i = threadIdx.x;
    float v = x[i];
    y[i] = erff(v); y[32 + i] = tanhf(v); y[64 + i] = expf(v); y[96 + i] = logf(fabsf(v) + 0.1f);
    y[128 + i] = sinf(v * 50); y[160 + i] = powf(fabsf(v), 1.7f); y[192 + i] = sqrtf(fabsf(v));
    y[224 + i] = fmodf(v, 0.3f); y[256 + i] = floorf(v) + ceilf(v); y[288 + i] = rsqrtf(fabsf(v) + 1);
    y[320 + i] = sinf(v * 1e6f); y[352 + i] = normcdff(v);
    d[i] = sin((double)v * 1e5); d[32 + i] = exp((double)v) / (1.5 + v * v); d[64 + i] = erf((double)v);
}"""
    )
    x = np.linspace(-3, 3, 32).astype(np.float32)
    a, y, d = bench.array(x), bench.device.alloc(4 * 384), bench.device.alloc(8 * 96)
    assert bench.launch(bench.load(text), "k", (1,), (32,), a, y, d).fault is None
    w = x.astype(np.float64)
    many = np.vectorize(math.erf)
    f32 = np.float32
    expected = [
        many(w),
        np.tanh(w),
        np.exp(w),
        np.log(np.abs(w) + f32(0.1)),
        np.sin((x * f32(50)).astype(np.float64)),
        np.abs(w) ** np.float64(f32(1.7)),
        np.sqrt(np.abs(w)),
        np.fmod(w, np.float64(f32(0.3))),
        np.floor(w) + np.ceil(w),
        1 / np.sqrt(np.abs(w) + 1),
        np.sin((x * f32(1e6)).astype(np.float64)),
        [math.erfc(-v / 2**0.5) / 2 for v in w],
    ]
    got = bench.fetch(y, 384, np.float32).reshape(12, 32)
    for k, row in enumerate(expected):
        np.testing.assert_allclose(got[k], row, rtol=1e-6, atol=3e-7, err_msg=str(k))
    doubles = [np.sin(w * 1e5), np.exp(w) / (1.5 + (x * x).astype(np.float64)), many(w)]
    np.testing.assert_allclose(bench.fetch(d, 96, np.float64).reshape(3, 32), doubles, rtol=1e-13, atol=1e-15)
