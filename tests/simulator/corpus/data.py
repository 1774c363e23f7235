"""The names that a kernel's header may use: NumPy's, and contents that are the same in every run."""

from __future__ import annotations

import builtins
from dataclasses import dataclass

import numpy as np

f16, f32, f64 = np.float16, np.float32, np.float64
i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64


@dataclass
class Contents:
    """``data`` at the start of a buffer of ``nbytes``; ``sparse``: 0 everywhere, and only touched pages take memory."""

    data: np.ndarray
    nbytes: int
    sparse: bool = False


def empty(count: int, dtype=f32) -> Contents:
    """A buffer of which nothing is written."""
    return Contents(np.zeros(0, dtype), count * np.dtype(dtype).itemsize)


def partly(data: np.ndarray, count: int) -> Contents:
    """A buffer of ``count`` elements of which only the first are written."""
    return Contents(data, count * data.itemsize)


def sparse(count: int, dtype=f32) -> Contents:
    return Contents(np.zeros(0, dtype), count * np.dtype(dtype).itemsize, sparse=True)


def normal(count: int, dtype=f32, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count).astype(dtype)


def integers(count: int, high: int, low: int = 0, dtype=i32, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, count).astype(dtype)


def permutation(count: int, dtype=i32, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).permutation(count).astype(dtype)


_NAMES = {name: value for name, value in vars(np).items() if not hasattr(builtins, name)}  # Python's max, sum, ...


def evaluate(expression: str, values: dict):
    return eval(expression, {**_NAMES, **globals(), **values})


def wrong_result(case, name: str, expected, dtype, fetch) -> str | None:
    """How the buffer ``name`` differs from what the kernel should have left in it; ``fetch(count, dtype)`` reads it."""
    expected = np.ascontiguousarray(expected)
    expected = expected if case.close else expected.astype(dtype)
    got = fetch(expected.size, dtype).reshape(expected.shape)
    same = np.isclose(got, expected, case.close, case.close, equal_nan=True) if case.close else got == expected
    if np.all(same):
        return None
    k = tuple(int(i[0]) for i in np.nonzero(~np.atleast_1d(same)))
    ours, theirs = np.atleast_1d(got)[k], np.atleast_1d(expected)[k]
    return f"{name}{list(k)} is {ours}, expected {theirs} ({np.sum(~same)} of {same.size} differ)"
