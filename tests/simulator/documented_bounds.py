"""How far NVIDIA says that a function or an approximate instruction may be from the truth.

From the CUDA C++ Programming Guide 13.0, "Mathematical Functions", and for instructions from the PTX ISA 9.0. Two
devices that keep a bound differ by twice as much at most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# Names of math.h with the guide's largest error in ulp: of float (the name ends in f), of double.
_WHOLE_RANGE = """sin 2 2 cos 2 2 tan 4 2 asin 2 2 acos 2 2 atan 2 2 sinh 3 2 cosh 2 1 tanh 2 1 asinh 3 3 acosh 4 3
    atanh 3 2 sinpi 1 2 cospi 1 2 exp 2 1 exp2 2 1 exp10 2 1 expm1 1 1 log 1 1 log2 1 1 log10 2 1 log1p 1 1 logb 0 0
    sqrt 0 0 rsqrt 2 1 cbrt 1 1 rcbrt 1 1 erf 2 2 erfc 4 5 erfcx 4 4 erfinv 2 5 erfcinv 4 6 normcdf 5 5 normcdfinv 5 8
    tgamma 5 10 cyl_bessel_i0 6 6 cyl_bessel_i1 6 6 ceil 0 0 floor 0 0 trunc 0 0 rint 0 0 nearbyint 0 0 round 0 0
    pow 4 2 atan2 3 2 hypot 3 2 rhypot 2 1 fmod 0 0 remainder 0 0 fdim 0 0 fma 0 0 norm3d 3 2 rnorm3d 2 1""".split()


@dataclass(frozen=True)
class Bound:
    """``most`` is in ``unit``: ulp, high ulp (the last place of a double's high word), absolute or relative; None where
    nothing is promised. It holds for the operands x and y that ``where`` tells and ``inside`` finds."""

    unit: str
    most: float | None
    where: str = ""
    inside: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda x, y: np.full(x.shape, True)


def ulp(most: float | None) -> list[Bound]:
    return [Bound("ulp", most)]


def _split(where: str, inside: Callable, first: tuple, second: tuple) -> list[Bound]:
    """One (unit, most) for some operands, another one for all others."""
    return [Bound(*first, where, inside), Bound(*second, f"not {where}", lambda x, y: ~inside(x, y))]


def _near_one(absolute: float, *elsewhere: str | float) -> list[Bound]:
    return _split("0.5 <= x <= 2", lambda x, y: (x >= 0.5) & (x <= 2), ("absolute", absolute), elsewhere)


def _angle(most: float | None, turns: float, where: str) -> Bound:
    return Bound("absolute", most, f"|x| <= {where}", lambda x, y: np.abs(x) <= turns * 2 * np.pi)


def _bessel(ulps: float, absolute: float) -> list[Bound]:
    return _split("|x| < 8", lambda x, y: np.abs(x) < 8, ("ulp", ulps), ("absolute", absolute))


def _gamma(low: float, high: float, ulps: float) -> list[Bound]:
    """Inside are its zeros."""
    return _split(f"{low} <= x <= {high}", lambda x, y: (x >= low) & (x <= high), ("absolute", None), ("ulp", ulps))


def _divisor(most: float) -> list[Bound]:
    def inside(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (np.abs(y) >= 2.0**-126) & (np.abs(y) <= 2.0**126)

    return [Bound("ulp", most, "2^-126 <= |y| <= 2^126", inside)]


def _bounds() -> dict[str, list[Bound]]:
    found = {}
    for name, single, double in zip(*[iter(_WHOLE_RANGE)] * 3, strict=True):
        found[f"{name}f"], found[name] = ulp(int(single)), ulp(int(double))
    for name in ("j0", "j1", "y0", "y1"):
        found[f"{name}f"], found[name] = _bessel(9, 2.2e-6), _bessel(7, 5e-12)
    found["lgammaf"], found["lgamma"] = _gamma(-10.001, -2.264, 6), _gamma(-23.0001, -2.2637, 4)
    # Of jn the guide tells n = 128 alone.
    found["jnf(3,x)"] = found["jn(3,x) double"] = [Bound("absolute", None)]
    found["ynf(2,x)"] = _split("|x| < 2", lambda x, y: np.abs(x) < 2, ("ulp", 7), ("absolute", 2.2e-6))
    found["yn(2,x) double"] = _split("|x| > 3", lambda x, y: np.abs(x) > 3, ("absolute", 5e-12), ("ulp", None))
    found["x/y"] = found["1/x"] = found["x/y double"] = found["1/x double"] = ulp(0)
    for name in ("__frsqrt_rn(x)", "__frcp_rn(x)", "__frcp_rz(x)", "__fsqrt_rn(x)", "__fsqrt_ru(x)", "__fdiv_rn(x,y)",
                 "__fdiv_rd(x,y)", "ldexpf(x,3)", "scalbnf(x,-9)", "__drcp_rn(x) double", "__dsqrt_rn(x) double",
                 "__ddiv_rn(x,y) double", "__ddiv_ru(x,y) double", "ldexp(x,3) double"):  # fmt: skip
        found[name] = ulp(0)
    found["powf(x,3)"], found["pow(x,3) double"] = ulp(4), ulp(2)
    found["__sinf(x)"], found["__cosf(x)"] = [_angle(2**-21.41, 0.5, "pi")], [_angle(2**-21.19, 0.5, "pi")]
    found["__tanf(x)"] = [_angle(None, 0.125, "pi / 4")]
    found["__expf(x)"] = found["__exp10f(x)"] = ulp(2)  # more for large |x|
    found["__logf(x)"] = _near_one(2**-21.41, "ulp", 3)
    found["__log2f(x)"], found["__log10f(x)"] = _near_one(2**-22, "ulp", 2), _near_one(2**-24, "ulp", 3)
    found["__fdividef(x,y)"] = _divisor(2)
    return found | _instructions()


def _instructions() -> dict[str, list[Bound]]:
    found = {}
    for ftz in ("", ".ftz"):
        found[f"ex2.approx{ftz}.f32"] = found[f"div.full{ftz}.f32"] = ulp(2)
        found[f"div.approx{ftz}.f32"] = _divisor(2)
        found[f"rcp.approx{ftz}.f32"] = ulp(1)
        found[f"rsqrt.approx{ftz}.f32"] = [Bound("relative", 2**-22.9)]
        found[f"sqrt.approx{ftz}.f32"] = [Bound("relative", 2**-23)]
        found[f"lg2.approx{ftz}.f32"] = _near_one(2**-22, "relative", 2**-22)
        for name in ("sin", "cos"):
            found[f"{name}.approx{ftz}.f32"] = [
                _angle(2**-20.5, 1, "2 pi"), _angle(2**-14.7, 50, "100 pi"), Bound("absolute", None),
            ]  # fmt: skip
    # Relative to results that are no subnormal numbers.
    found["tanh.approx.f32"] = [Bound("relative", 2**-11, "|x| >= 2^-126", lambda x, y: np.abs(x) >= 2.0**-126)]
    found["ex2.approx.f16"] = [Bound("relative", 2**-9.9, "x >= -14", lambda x, y: x >= -14)]
    found["ex2.approx.ftz.bf16"] = [Bound("relative", 2**-7, "x >= -126", lambda x, y: x >= -126)]
    found["tanh.approx.f16"], found["tanh.approx.bf16"] = [Bound("absolute", 2**-10.987)], [Bound("absolute", 2**-8)]
    # Only the high word is defined, and it is an approximation to start from, without a bound.
    found["rcp.approx.ftz.f64"] = found["rsqrt.approx.ftz.f64"] = [Bound("high ulp", None)]
    return found


BOUNDS = _bounds()


def bounds(name: str) -> list[Bound]:
    """What is documented of an expression of math_functions.py, else its distance in ulp alone."""
    return BOUNDS.get(name, ulp(None))
