"""An output beside what the reference says: types, shapes, tolerances, orders; the first difference in plain words."""

from __future__ import annotations

import numpy as np

from grader.plugin.spec_records import Output, Spec
from grader.plugin.types import TYPES, rounded


def difference(spec: Spec, output: Output, kind: str, got: np.ndarray | None, expected: np.ndarray) -> str | None:
    """What is wrong with an output, as the end of a sentence; None where it is right within the tolerance.

    ``kind`` is the output's type; its tolerance is the spec's. Where both are infinite or NaN they must be alike.
    """
    if got is None:
        return "has no size that fits its memory"
    if output.any_order:
        got, expected = _ordered(got), _ordered(np.asarray(expected))
    expected = np.asarray(expected)
    if got.shape != expected.shape:
        return f"has the shape {got.shape} instead of {expected.shape}"
    limit = spec.tolerance(kind)
    if TYPES[kind].integer and expected.dtype.kind in "iu" and limit.absolute == limit.relative == 0:
        wrong = got != expected  # whole numbers beyond 2^53 are no doubles
    else:
        exact = rounded(expected, kind) if TYPES[kind].floating else expected
        left, right = got.astype(np.float64), exact.astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            near = np.abs(left - right) <= limit.absolute + limit.relative * np.abs(right)
        near &= np.isfinite(left) & np.isfinite(right)  # everything is within a share of infinity
        wrong = ~(near | (left == right) | (np.isnan(left) & np.isnan(right)))
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    share = f"{int(wrong.sum())} of {wrong.size} elements are wrong"
    return f"holds {got[index]} instead of {expected[index]:.7g} at {list(index)} ({share})"


def _ordered(rows: np.ndarray) -> np.ndarray:
    """The rows in one order for both."""
    if rows.ndim == 0 or len(rows) < 2:
        return rows
    flat = rows.reshape(len(rows), -1)
    return rows[np.lexsort(flat.T[::-1])]
