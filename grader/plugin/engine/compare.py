"""Whether an output of the real engine is what the reference says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.plugin.spec_records import Combination, Spec
from grader.plugin.types import unpack


def compare(
    spec: Spec, combination: Combination, index: int, shape: Sequence[int], data: bytes, expected: list | None
) -> dict[str, Any]:
    """An output's part of the report: name, shape, state ("pass", "fail", "not compared") and the largest error.

    The error is absolute, and counts only where it is beyond the spec's tolerance; NaN equals NaN. Without a reference
    nothing is compared. An output with ``rows`` is compared by its shape's tail and its leading rows.
    """
    output = spec.outputs[index]
    type_name = combination.types[len(spec.tensors) + index]
    told: dict[str, Any] = {"name": output.name, "shape": list(shape), "expected_shape": None, "state": "not compared",
                            "largest_error": None}  # fmt: skip
    if expected is None:
        return told
    right = np.asarray(expected[index])
    told["expected_shape"] = list(right.shape)
    found = unpack(data, type_name, tuple(shape))
    if output.rows and found.ndim and right.ndim and found.shape[0] >= right.shape[0]:
        found = found[: right.shape[0]]
    if found.shape != right.shape:
        return told | {"state": "fail"}
    if output.any_order and found.ndim:
        found, right = _sorted_rows(found), _sorted_rows(right)
    tolerance = spec.tolerance(type_name)
    with np.errstate(all="ignore"):
        error = np.abs(found.astype(np.float64) - right.astype(np.float64))
        same = (found == right) | (np.isnan(found.astype(np.float64)) & np.isnan(right.astype(np.float64)))
        allowed = tolerance.absolute + tolerance.relative * np.abs(right.astype(np.float64))
        good = bool(np.all(same | (np.isfinite(allowed) & (error <= allowed))))
    error = error[~same]
    finite = error[np.isfinite(error)]
    largest = float(finite.max()) if finite.size else 0.0 if good else None
    return told | {"state": "pass" if good else "fail", "largest_error": largest}


def _sorted_rows(array: np.ndarray) -> np.ndarray:
    rows = array.reshape(array.shape[0], -1)
    return rows[np.lexsort(rows.T[::-1])] if rows.shape[1] else rows
