"""Inputs that the forward and the backward kernel are tried on."""

from __future__ import annotations

import numpy as np

from grader.exercises.ch10_masked_gelu.reference import DTYPES

BLOCK = 256
ROUND = (1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0)  # come first: the first failing value is the one told
FAR = 8.0  # beyond it erf and tanh are 1 to the last bit of a float


def whole_blocks(x: np.ndarray) -> np.ndarray:
    """``x``, repeated to fill blocks: nothing that is tried here depends on a last block that is not full."""
    return np.resize(x, -(-x.size // BLOCK) * BLOCK)


def bend(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Where GELU bends: round numbers, an even grid and drawn ones from -6 to 6; in FP16 all from -8 to 8."""
    if kind == "f16":
        return whole_blocks(np.concatenate([ROUND, every_half(0.0, FAR)]).astype(np.float16))
    even = np.linspace(-6, 6, 2048)
    return np.concatenate([ROUND, even, rng.uniform(-6, 6, 2048 - len(ROUND))]).astype(np.float32)


def plain(n: int, rng: np.random.Generator, kind: str) -> np.ndarray:
    """``n`` values at which every form of GELU is x and its slope 1: for checks of all but the formula."""
    return rng.uniform(6, 9, n).astype(DTYPES[kind])


def every_half(lowest: float, highest: float) -> np.ndarray:
    """All FP16 numbers whose magnitude lies in [lowest, highest], of both signs, in ascending magnitude."""
    magnitudes = np.arange(0x7C00, dtype=np.uint16).view(np.float16)
    kept = magnitudes[(magnitudes >= lowest) & (magnitudes <= highest)]
    return whole_blocks(np.stack([kept, -kept], axis=1).ravel())


def far(kind: str) -> np.ndarray:
    """Far from zero, up to the largest finite number of the type, both signs."""
    if kind == "f16":
        return every_half(FAR, np.inf)
    magnitudes = np.geomspace(FAR, float(np.finfo(np.float32).max) * 0.999, 512).astype(np.float32)
    magnitudes[-1] = np.finfo(np.float32).max
    return whole_blocks(np.stack([magnitudes, -magnitudes], axis=1).ravel())


def near_zero(kind: str) -> np.ndarray:
    """Zeros, subnormals and small numbers, both signs."""
    if kind == "f16":
        return every_half(0.0, 2.0**-10)
    powers = np.ldexp(np.float32(1), np.arange(-149, -19)).astype(np.float32)
    magnitudes = np.concatenate([[0], powers, powers * np.float32(1.5)]).astype(np.float32)
    return whole_blocks(np.stack([magnitudes, -magnitudes], axis=1).ravel())


def ones(n: int) -> np.ndarray:
    """A mask that keeps everything."""
    return np.ones(n, np.uint8)
