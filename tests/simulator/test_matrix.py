"""Matrix instructions: every shape and type against NumPy, whole kernels, faults, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matrix_cases import WARPS, Case, cases, checksum, further_cases, inputs, run_here, values

CASES, FURTHER = cases(), further_cases()
MEASURED = np.load(Path(__file__).parent / "h200_matrix.npz")


def _roundings(case: Case) -> int:
    """wmma multiplies tf32 in two steps of four k, an H200 and so we."""
    return 2 if case.family == "wmma" and case.a == "tf32" else 1


def bound(case: Case, a, b, c, exact) -> np.ndarray:
    """How far a result may lie from the exact one.

    There are k + 1 terms. Each, and a sum of some of them, loses less than 2^-22 of the largest (which is the widest
    claim about any generation of tensor cores), or what lies below 2^-158, or below 2^-148 if a subnormal sum is one
    of the terms; then one unit of D's last place for each rounding.
    """
    k = case.shape[2]
    terms = np.abs(a[:, :, None, :] * b[:, None, :, :]).max(3)
    largest = np.maximum(np.maximum(terms, np.abs(c)), 2.0 ** (-136 if _roundings(case) == 1 else -126))
    lost = (k + 2) * 2.0**-22 * largest
    digits, least = {"f16": (10, -24), "f32": (23, -149)}[case.d]
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.floor(np.log2(np.abs(exact) + lost))
    return lost + _roundings(case) * 2.0 ** np.maximum(np.nan_to_num(size, neginf=-1000.0) - digits, least)


def compare(case: Case, got, a, b, c) -> None:
    """Against sums in double precision (k + 1 terms: their error is far below the bound)."""
    with np.errstate(invalid="ignore", over="ignore"):
        exact = np.einsum("wmk,wnk->wmn", a, b) + c
        usual = np.isfinite(exact)
        assert np.array_equal(np.isnan(exact), np.isnan(got))
        allowed = bound(case, *(np.where(np.isfinite(x), x, 0) for x in (a, b, c)), np.where(usual, exact, 0))
        most = {"f16": 65504.0, "f32": float(np.finfo(np.float32).max)}[case.d]
        fits = True
        if _roundings(case) == 2:  # the first may already be infinite
            fits = np.abs(np.einsum("wmk,wnk->wmn", a[..., :4], b[..., :4]) + c) + allowed < most
        inside = usual & fits & (np.abs(exact) + allowed < most)
        assert (np.abs(got - exact)[inside] <= allowed[inside]).all()
        past = fits & (np.abs(exact) - np.where(usual, allowed, 0) >= most * (1 + 2.0**-10))
        assert np.array_equal(got[past], np.copysign(np.inf, exact[past]))


@pytest.mark.parametrize("case", CASES + FURTHER, ids=lambda case: case.name)
def test_every_shape_and_type(bench, case):
    got, numbers = run_here(bench, case), inputs(case)
    a, b, c = (values(kind, x) for kind, x in zip((case.a, case.b, case.c), numbers, strict=True))
    result = values(case.d, got)
    if case.d == "s32":
        exact = np.einsum("wmk,wnk->wmn", a, b) + c
        if case.saturate:
            expected = np.clip(exact, -(1 << 31), (1 << 31) - 1)
        else:
            expected = (exact + (1 << 31)) % (1 << 32) - (1 << 31)
        assert np.array_equal(result, expected)
        return
    small = [w for w in range(WARPS) if case.kind_of(w) == "small integers"]
    assert np.array_equal(result[small], (np.einsum("wmk,wnk->wmn", a[small], b[small]) + c[small]))  # in any order
    if case.d == "f64":
        with np.errstate(invalid="ignore", over="ignore"):
            largest = np.einsum("wmk,wnk->wmn", np.abs(a), np.abs(b)) + np.abs(c)
            exact = np.einsum("wmk,wnk->wmn", a, b) + c
            usual = np.isfinite(exact) & np.isfinite(largest)
        assert (np.abs(result[usual] - exact[usual]) <= 40 * 2.0**-53 * largest[usual]).all()
    else:
        compare(case, result, a, b, c)


@pytest.mark.parametrize("case", CASES + FURTHER, ids=lambda case: case.name)
def test_against_an_h200(bench, case):
    """Every bit, also of what is no number. Measured on 2026-11-30 with driver 580.159.04 (measure_matrix.py)."""
    assert case.name not in MEASURED["refused"]
    ours = run_here(bench, case)
    assert np.array_equal(checksum(ours) if case.d == "s32" else ours, MEASURED[case.name])
