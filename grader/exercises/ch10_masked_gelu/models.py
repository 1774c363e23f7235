"""Masked GELU kernels as NumPy functions, right ones and broken ones: what a learner's tests are tried on.

A kernel here takes x (float32) and mask (uint8), both of n elements, and gives y (float32) as a launch would
leave it: an element that nobody writes keeps the old content of the memory, ``STALE``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from grader.checks import mismatch
from grader.exercises.ch10_masked_gelu.reference import FORWARD, gelu, masked, tolerance

Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]

BLOCK = 256
BLOCKS = 8  # the largest grid that the kernel without a loop is launched with
STALE = np.float32(-431602080.0)
_KEPT = 256  # results of the slow functions: a dozen kernels are tried on the same numbers

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


@dataclass(frozen=True)
class Broken:
    """``name`` is what the learner reads: "the kernel that ..."."""

    id: str
    name: str
    kernel: Kernel


def expected(x: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The contract's result, in float64."""
    return masked(_reference(x.tobytes()), mask)


@functools.lru_cache(_KEPT)
def _reference(x: bytes) -> np.ndarray:
    return _kept(gelu("erf", np.frombuffer(x, np.float32)))


def _kept(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False  # the next kernel is given it too
    return values


def told_apart(kernel: Kernel, cases) -> bool:
    """Whether any case shows a breach of the contract: a wrong value, or not +0 behind a 0 of the mask."""
    return any(_differs(kernel(x, mask), x, mask) for x, mask in cases)


def _differs(y, x, mask) -> bool:
    if mismatch(y, expected(x, mask), tolerance("f32", FORWARD)).size:
        return True
    return bool((y.view(np.uint32)[mask == 0] != 0).any())


def _naive(x):
    """The formula in float, step by step, as most kernels have it; -Inf apart."""
    return _step_by_step(np.asarray(x, np.float32).tobytes())


@functools.lru_cache(_KEPT)
def _step_by_step(data: bytes) -> np.ndarray:
    x = np.frombuffer(data, np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        f = _erf((x * np.float32(math.sqrt(0.5))).astype(np.float64)).astype(np.float32)
        return _kept(np.where(np.isneginf(x), np.float32(0), np.float32(0.5) * x * (np.float32(1) + f)))


def _select(g, mask):
    return np.where(mask != 0, g, np.float32(0)).astype(np.float32)


def _right(x, mask):
    return _select(_naive(x), mask)


def _right_erfc(x, mask):
    """By erfc, which keeps its digits in the tail."""
    with np.errstate(invalid="ignore"):
        g = np.float32(0.5) * x * _erfc((-x * np.float32(math.sqrt(0.5))).astype(np.float64)).astype(np.float32)
    return _select(np.where(np.isneginf(x), np.float32(0), g), mask)


def _right_rounded(x, mask):
    """The exact result, rounded once."""
    return _select(gelu("erf", x).astype(np.float32), mask)


def _right_flushes(x, mask):
    """Writes 0 far to the left at once, and -0 where x is -0."""
    return _select(np.where(x < -10, np.float32(0), _naive(x)), mask)


RIGHT: dict[str, Kernel] = {
    "step by step": _right, "erfc": _right_erfc, "rounded once": _right_rounded, "early zero": _right_flushes,
}  # fmt: skip


def _multiplies(x, mask):
    with np.errstate(invalid="ignore"):
        return _naive(x) * (mask != 0).astype(np.float32)


def _unwritten(y, first):
    y[first:] = STALE
    return y


def _forgets_zeros(x, mask):
    return np.where(mask != 0, _naive(x), STALE).astype(np.float32)


def _first_blocks_mask(x, mask):
    return _right(x, np.resize(mask[:BLOCK], mask.shape) if mask.size else mask)


def _formula_at_minus_infinity(x, mask):
    return _select(np.where(np.isneginf(x), np.float32(np.nan), _naive(x)), mask)


BROKEN: tuple[Broken, ...] = (
    Broken("multiplies", "multiplies by the mask", _multiplies),
    Broken("is-one", "keeps an element only if its mask byte is 1", lambda x, m: _select(_naive(x), m == 1)),
    Broken("signed", "reads the mask as signed char and keeps what is above 0",
           lambda x, m: _select(_naive(x), m.view(np.int8) > 0)),
    Broken("inverted", "keeps what the mask hides", lambda x, m: _select(_naive(x), m == 0)),
    Broken("forgets-zeros", "writes nothing where the mask is 0", _forgets_zeros),
    Broken("first-blocks-mask", "indexes the mask by threadIdx.x alone", _first_blocks_mask),
    Broken("whole-blocks", "works on whole blocks of 256 only",
           lambda x, m: _unwritten(_right(x, m), x.size // BLOCK * BLOCK)),
    Broken("whole-vectors", "works on whole groups of 4 only",
           lambda x, m: _unwritten(_right(x, m), x.size // 4 * 4)),
    Broken("one-pass", "has no loop and is launched with at most 8 blocks of 256",
           lambda x, m: _unwritten(_right(x, m), BLOCKS * BLOCK)),
    Broken("loses-nan", "clamps x with fmaxf, which drops a NaN",
           lambda x, m: _right(np.fmax(x, np.float32(-30)), m)),
    Broken("minus-infinity", "trusts the formula at -Inf", _formula_at_minus_infinity),
    Broken("tanh-form", "computes the tanh form where the erf form is promised",
           lambda x, m: _select(gelu("tanh", x).astype(np.float32), m)),
)  # fmt: skip
