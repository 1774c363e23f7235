"""CUDA's math library on the simulated GPU: what the compiler makes of each function, run whole."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import compile_text
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


# (the function in double precision, the largest error of float in ulp by the CUDA C++ Programming Guide 13.0).
FLOATS = {
    "sinf": (math.sin, 2), "cosf": (math.cos, 2), "tanf": (math.tan, 4), "asinf": (math.asin, 2), "acosf": (math.acos, 2),
    "atanf": (math.atan, 2), "sinhf": (math.sinh, 3), "coshf": (math.cosh, 2), "tanhf": (math.tanh, 2),
    "asinhf": (math.asinh, 3), "acoshf": (math.acosh, 4), "atanhf": (math.atanh, 3), "expf": (math.exp, 2),
    "expm1f": (math.expm1, 1), "logf": (math.log, 1), "log2f": (math.log2, 1), "log10f": (math.log10, 2),
    "log1pf": (math.log1p, 1), "sqrtf": (math.sqrt, 0), "erff": (math.erf, 2), "erfcf": (math.erfc, 4),
    "tgammaf": (math.gamma, 5), "cbrtf": (np.cbrt, 1), "exp2f": (np.exp2, 2), "powf": (math.pow, 4),
    "atan2f": (math.atan2, 3), "hypotf": (math.hypot, 3), "fmodf": (math.fmod, 0),
}  # fmt: skip


def exactly(function, *arguments: float) -> float:
    try:
        with np.errstate(all="ignore"):
            return float(function(*arguments))
    except (ValueError, OverflowError):
        return math.nan


@pytest.mark.parametrize("name", FLOATS)
def test_float_functions_are_as_near_as_the_guide_says(results, name):
    function, bound = FLOATS[name]
    count = 2 if name in ("powf", "atan2f", "hypotf", "fmodf") else 1
    with np.errstate(all="ignore"):
        arguments = [data.view(np.float32).astype(np.float64) for data in GIVEN["float"][:count]]
        truth = np.array([exactly(function, *values) for values in zip(*arguments, strict=True)]).astype(np.float32)
    usual = np.isfinite(truth) & (np.abs(truth) >= 2.0**-126)
    assert usual.sum() > 200
    apart = distance(results[name], truth.view(np.uint32), "float")
    assert apart[usual].max() <= bound + 1  # the truth itself is rounded
