"""Compare what a kernel wrote with the float64 reference, and tell the first difference well."""

from __future__ import annotations

import numpy as np

from grader.checks.base import Finding, failed, passed
from grader.checks.cases import Case, Tolerance

POISON = 0xCD


def mismatch(got: np.ndarray, expected: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    """Indices (flat, ascending) of the elements that differ by more than the tolerance.

    A NaN where a number is expected, a number where NaN is expected, and a wrong infinity always differ.
    """
    got, expected = np.asarray(got).ravel(), np.asarray(expected).ravel()
    if expected.dtype.kind in "iub":
        return np.flatnonzero(got != expected)
    g, e = got.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        close = np.abs(g - e) <= tolerance.absolute + tolerance.relative * np.abs(e)
        same = (g == e) | (np.isnan(g) & np.isnan(e))
    return np.flatnonzero(~(same | (close & np.isfinite(g) & np.isfinite(e))))


def unwritten(got: np.ndarray) -> np.ndarray:
    """A boolean for each flat element: its bytes are still the poison from before the launch."""
    raw = np.ascontiguousarray(got).view(np.uint8).reshape(got.size, got.dtype.itemsize)
    return (raw == POISON).all(axis=1)


def compare(case: Case, outputs: dict[str, np.ndarray]) -> Finding:
    """``passed``, or ``failed`` with the first element that differs, its thread and its inputs."""
    if not case.expected:
        raise ValueError(f"case {case.label!r} of {case.kernel} has nothing to compare with")
    for name, expected in case.expected.items():
        got = outputs[name].ravel()
        bad = mismatch(got, expected, case.tolerance)
        if bad.size:
            return _difference(case, name, got, np.asarray(expected).ravel(), bad)
    return passed(f"{case.label}: every element agrees" if case.label else "every element agrees")


def _difference(case, name, got, expected, bad):
    index = int(bad[0])
    place = index + next(out.start for out in case.outputs if out.name == name)  # the index that the kernel sees
    block, thread = case.thread_of(place)
    fresh = bool(unwritten(got[index : index + 1])[0])
    what = "was never written" if fresh else f"is {_number(got[index])}, expected {_number(expected[index])}"
    inputs = {a.name: _number(a.data.ravel()[index]) for a in case.inputs if a.data.size == got.size}
    given = ", ".join(f"{key}[{place}] = {value}" for key, value in inputs.items())
    where = ", ".join(filter(None, (case.kernel, case.label)))
    message = f"{name}[{place}] {what}" + (f" (from {given})" if given else "") + f"; {where}."
    allowed = case.tolerance
    told = {"tolerance": {"absolute": allowed.absolute, "relative": allowed.relative}} if allowed.told else {}
    return failed(
        message,
        case={
            "kernel": case.kernel, "label": case.label, "output": name, "index": place,
            "got": None if fresh else _number(got[index]), "expected": _number(expected[index]),
            "inputs": inputs, "wrong": int(bad.size), "of": int(got.size),
            "block": block, "thread": thread, "grid": list(case.grid), "threads": list(case.block),
            **told,
        },
    )  # fmt: skip


def _number(value) -> str:
    """A value as the learner would write it: enough digits to tell it from its neighbours, no more.

    References are float64; nine digits of them are more than any compared type holds.
    """
    value = np.asarray(value)[()]
    if value.dtype.kind in "iub":
        return str(int(value))
    exact = {"unique": True} if value.dtype.itemsize < 8 else {"unique": False, "precision": 9}
    size = abs(float(value))
    if size == 0 or not np.isfinite(size) or 1e-4 <= size < 1e6:
        return np.format_float_positional(value, fractional=False, trim="0", **exact)
    return np.format_float_scientific(value, trim="0", **(exact | ({} if exact["unique"] else {"precision": 8})))
