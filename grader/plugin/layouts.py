"""Tensors as they lie in memory in each of TensorRT's formats (``TensorFormat``, NvInferRuntime.h 10.14)."""

from __future__ import annotations

import math

import numpy as np

from grader.plugin.types import TYPES, pack, unpack

# Format -> (channels are packed in vectors of so many, where the packed channels lie): only kLINEAR so far.
SUPPORTED = ("linear",)


def layout_bytes(shape: tuple[int, ...], kind: str, layout: str) -> int:
    """Bytes of a tensor of this shape, padding included; 0 for what cannot be laid out."""
    return math.prod(shape) * TYPES[kind].bits // 8


def to_layout(values: np.ndarray, kind: str, layout: str) -> bytes:
    """The bytes of an array; padding is 0."""
    return pack(values, kind)


def from_layout(data: bytes, shape: tuple[int, ...], kind: str, layout: str) -> np.ndarray:
    return unpack(data, kind, shape)
