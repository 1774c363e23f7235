"""CUDA's math library on the simulated GPU: what the compiler makes of each function, run whole."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import compile_text
from documented_bounds import bounds
from math_functions import TYPES, distance, expressions, inputs, source
from measure_ulp import Simulated

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
