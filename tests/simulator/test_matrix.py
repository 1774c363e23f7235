"""Matrix instructions: every shape and type against NumPy, whole kernels, faults, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matrix_cases import KINDS, WARPS, Case, cases, checksum, inputs, run_here, values

CASES = cases()
MEASURED = Path(__file__).parent / "h200_matrix.npz"


def bound(case: Case, a, b, c, exact) -> np.ndarray:
    """How far a result may lie from the exact one, or two tensor cores' results from each other.

    There are k + 1 terms. Each, and a sum of some of them, loses less than 2^-22 of the largest (which is the widest
    claim about any generation of tensor cores); then one unit of D's last place.
    """
    k = case.shape[2]
    terms = np.abs(a[:, :, None, :] * b[:, None, :, :]).max(3)
    largest = np.maximum(terms, np.abs(c))
    lost = (k + 2) * 2.0**-22 * largest
    digits, least = {"f16": (10, -24), "f32": (23, -149)}[case.d]
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.floor(np.log2(np.abs(exact) + lost))
    return lost + 2.0 ** np.maximum(np.nan_to_num(size, neginf=-1000.0) - digits, least)


def compare(case: Case, got, a, b, c) -> None:
    """Against sums in double precision (k + 1 terms: their error is far below the bound)."""
    with np.errstate(invalid="ignore", over="ignore"):
        exact = np.einsum("wmk,wnk->wmn", a, b) + c
        usual = np.isfinite(exact)
        assert np.array_equal(np.isnan(exact), np.isnan(got))
        allowed = bound(case, *(np.where(np.isfinite(x), x, 0) for x in (a, b, c)), np.where(usual, exact, 0))
        most = {"f16": 65504.0, "f32": float(np.finfo(np.float32).max)}[case.d]
        inside = usual & (np.abs(exact) + allowed < most)
        assert (np.abs(got - exact)[inside] <= allowed[inside]).all()
        past = np.abs(exact) - np.where(usual, allowed, 0) >= most * (1 + 2.0**-10)
        assert np.array_equal(got[past], np.copysign(np.inf, exact[past]))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
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
    small = [w for w in range(WARPS) if KINDS[w % len(KINDS)] == "small integers"]
    assert np.array_equal(result[small], (np.einsum("wmk,wnk->wmn", a[small], b[small]) + c[small]))  # in any order
    if case.d == "f64":
        with np.errstate(invalid="ignore", over="ignore"):
            largest = np.einsum("wmk,wnk->wmn", np.abs(a), np.abs(b)) + np.abs(c)
            exact = np.einsum("wmk,wnk->wmn", a, b) + c
            usual = np.isfinite(exact) & np.isfinite(largest)
        assert (np.abs(result[usual] - exact[usual]) <= 40 * 2.0**-53 * largest[usual]).all()
    else:
        compare(case, result, a, b, c)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_against_an_h200(bench, case):
    if not MEASURED.exists():
        pytest.skip("not measured yet: tests/simulator/measure_matrix.py")
    measured = np.load(MEASURED)
    assert case.name not in measured["refused"]
    ours, theirs = run_here(bench, case), measured[case.name]
    if case.d in ("s32", "f64"):
        assert np.array_equal(checksum(ours) if case.d == "s32" else ours, theirs)
        return
    x, y = values(case.d, ours), values(case.d, theirs)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    a, b, c = (values(kind, w) for kind, w in zip((case.a, case.b, case.c), inputs(case), strict=True))
    allowed = 2 * bound(case, *(np.where(np.isfinite(w), w, 0) for w in (a, b, c)), np.where(np.isfinite(y), y, 0))
    with np.errstate(invalid="ignore"):
        assert (same | (np.abs(x - y) <= allowed)).all()
