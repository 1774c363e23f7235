"""GELU and its slope in float64, in the three forms, and the tolerances that follow from the types.

Every function takes any array of numbers and gives a float64 array. The tails keep their relative accuracy:
the references are written without the subtraction from 1 that costs a float kernel its last digits there.
"""

from __future__ import annotations

import math

import numpy as np

from grader.checks import Tolerance

FORMS = ("erf", "tanh", "sigmoid")
DTYPES = {"f32": np.float32, "f16": np.float16}

ROOT = math.sqrt(2 / math.pi)  # 0.7978845608...
CUBIC = 0.044715  # Hendrycks and Gimpel, arXiv:1606.08415
STEEP = 1.702

_erfc = np.frompyfunc(math.erfc, 1, 1)


def _sigmoid(z):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-z))


def cdf(form: str, x) -> np.ndarray:
    """What GELU multiplies ``x`` by: 0 far to the left, 1 far to the right."""
    x = np.asarray(x, np.float64)
    if form == "erf":
        return 0.5 * np.asarray(_erfc(-x / math.sqrt(2)), np.float64)
    if form == "tanh":  # (1 + tanh u) / 2 is the logistic function of 2u
        return _sigmoid(2 * ROOT * (x + CUBIC * x**3))
    if form == "sigmoid":
        return _sigmoid(STEEP * x)
    raise ValueError(f"no form of GELU is called {form!r}")


def gelu(form: str, x) -> np.ndarray:
    """GELU; at minus infinity its limit, 0."""
    x = np.asarray(x, np.float64)
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(x), 0.0, x * cdf(form, x))


def slope(form: str, x) -> np.ndarray:
    """The derivative of GELU (forms "erf" and "tanh"); at the infinities its limits, 0 and 1."""
    x = np.asarray(x, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        if form == "erf":
            rest = x * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        elif form == "tanh":
            inner = ROOT * (1 + 3 * CUBIC * x * x)
            rest = 2 * x * inner * cdf(form, x) * cdf(form, -x)
        else:
            raise ValueError(f"no slope of the form {form!r}")
        return np.where(np.isinf(x), (x > 0) * 1.0, cdf(form, x) + rest)


def masked(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """``values`` where the mask's byte is not 0, +0 elsewhere: chosen, never multiplied."""
    return np.where(np.asarray(mask) != 0, values, 0.0)


def tolerance(kind: str, absolute: float) -> Tolerance:
    """What may separate a right kernel from the reference, for results stored as "f32" or "f16".

    ``absolute`` is what the float arithmetic itself may lose. FP16 adds the one rounding of the store: half a
    unit in the last of 11 bits, and half the smallest subnormal, 2^-25.
    """
    if kind == "f32":
        return Tolerance(absolute=absolute, relative=2.0**-20)
    return Tolerance(absolute=absolute + 2.0**-25, relative=2.0**-11 + 2.0**-20)


# Forward: y = x/2 * (1 + f) with f = erf or tanh. erff and tanhf are less than 2 ulp off, that is 2^-23, where f
# is near -1 (measured: docs/measurements.md); rounding f's argument and the sum adds about as much again, 2^-22
# in all. It is multiplied by |x|/2, which is at most 3 before f is -1 to the last bit: 3 * 2^-22 < 2^-20.
FORWARD = 2.0**-20
# Backward, tanh form: 1 - t*t loses 2^-22 where t is near 1, and is multiplied by x/2 * inner, less than 10
# before t is 1 to the last bit: 10 * 2^-22 < 2^-18. Times |dy|, which the cases keep at 1 or less. The erf
# form is better.
BACKWARD = 2.0**-18
