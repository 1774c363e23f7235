"""Tensors as they lie in memory in each of TensorRT's formats (``TensorFormat``, NvInferRuntime.h 10.14).

A format packs the channels: the axis that is third (or fourth) to last. Channels are padded to whole vectors of
``vector`` scalars, and lie

- vector-minor (HWC): ``[N][H][W][channels, padded]``;
- vector-major (CHW): ``[N][vectors of channels][H][W][vector]``.

Formats that only a DLA reads, and types below a byte, are not laid out here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grader.plugin.types import TYPES, pack, unpack


@dataclass(frozen=True)
class Layout:
    axis: int  # of the channels, counted from the end: -3 or -4
    vector: int  # scalars of a vector
    minor: bool  # whether the channels are the innermost axis
    types: tuple[str, ...]  # that the header documents for it, without UINT8, which no plugin may have


LAYOUTS = {
    "chw2": Layout(-3, 2, False, ("float16", "bfloat16")),
    "hwc8": Layout(-3, 8, True, ("float16", "bfloat16")),
    "chw4": Layout(-3, 4, False, ("int8", "float16")),  # FP16: developer guide 10.x, formats of plugins
    "chw32": Layout(-3, 32, False, ("int8", "float32", "float16")),
    "dhwc8": Layout(-4, 8, True, ("float16", "bfloat16")),
    "cdhw32": Layout(-4, 32, False, ("float16", "int8")),
    "hwc": Layout(-3, 1, True, ("float32",)),
    "hwc16": Layout(-3, 16, True, ("float16", "int8")),
    "dhwc": Layout(-4, 1, True, ("float32",)),
    # Documented for a DLA alone, but a plain memory layout: [N][C/16][H][W][16].
    "chw16": Layout(-3, 16, False, ()),
}
SUPPORTED = ("linear", *LAYOUTS)
LINEAR_TYPES = ("float32", "float16", "bfloat16", "int8", "int32", "int64", "float8")


def fits(shape: tuple[int, ...], kind: str, layout: str) -> bool:
    """Whether arrays of this shape and type can be laid out so."""
    if TYPES[kind].dtype is None or layout not in SUPPORTED:
        return False
    return layout == "linear" or len(shape) >= -LAYOUTS[layout].axis


def candidates(rank: int) -> list[tuple[str, str]]:
    """The pairs of type and format that TensorRT documents for a plugin's tensor of this rank."""
    found = [(kind, "linear") for kind in LINEAR_TYPES]
    for name, layout in LAYOUTS.items():
        if rank >= -layout.axis:
            found += [(kind, name) for kind in layout.types]
    return found


def padded_shape(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """The shape with the channels padded; ``ValueError`` where the format needs more axes, or is not known here."""
    if layout == "linear":
        return tuple(shape)
    if layout not in LAYOUTS or len(shape) < -LAYOUTS[layout].axis:
        raise ValueError(f"a tensor of shape {tuple(shape)} cannot be laid out as {layout}")
    rule = LAYOUTS[layout]
    padded = list(shape)
    padded[rule.axis] = -(-shape[rule.axis] // rule.vector) * rule.vector
    return tuple(padded)


def layout_bytes(shape: tuple[int, ...], kind: str, layout: str) -> int:
    """Bytes of a tensor of this shape, padding included."""
    return -(-math.prod(padded_shape(shape, layout)) * TYPES[kind].bits // 8)


def to_layout(values: np.ndarray, kind: str, layout: str) -> bytes:
    """The bytes of an array; padding is 0."""
    if layout == "linear":
        return pack(values, kind)
    rule, shape = LAYOUTS[layout], padded_shape(values.shape, layout)
    pairs = [(0, more - have) for have, more in zip(values.shape, shape, strict=True)]
    return pack(_inner(np.pad(values, pairs), rule), kind)


def from_layout(data: bytes, shape: tuple[int, ...], kind: str, layout: str) -> np.ndarray:
    """The array that ``to_layout`` made into bytes; padding is left out."""
    if layout == "linear":
        return unpack(data, kind, shape)
    rule, whole = LAYOUTS[layout], padded_shape(shape, layout)
    lying = _inner(np.empty(whole, np.int8), rule).shape
    values = _outer(unpack(data, kind, lying), rule, whole)
    index = [slice(None)] * len(shape)
    index[rule.axis] = slice(shape[rule.axis])
    return np.ascontiguousarray(values[tuple(index)])


def tensor_marks(shape: tuple[int, ...], kind: str, layout: str) -> np.ndarray:
    """For each byte of the memory whether it belongs to an element (bool); the others are padding."""
    if layout == "linear":
        return np.ones(layout_bytes(shape, kind, layout), bool)
    whole = np.zeros(padded_shape(shape, layout), bool)
    whole[tuple(slice(n) for n in shape)] = True
    return np.repeat(_inner(whole, LAYOUTS[layout]).ravel(), TYPES[kind].size)


def _inner(values: np.ndarray, rule: Layout) -> np.ndarray:
    """A padded array in the order of memory."""
    if rule.minor:
        return np.moveaxis(values, rule.axis, -1)
    axis, shape = values.ndim + rule.axis, values.shape
    split = values.reshape(*shape[:axis], shape[axis] // rule.vector, rule.vector, *shape[axis + 1 :])
    return np.moveaxis(split, axis + 1, -1)


def _outer(values: np.ndarray, rule: Layout, shape: tuple[int, ...]) -> np.ndarray:
    """The other way round."""
    if rule.minor:
        return np.moveaxis(values, -1, rule.axis)
    return np.moveaxis(values, -1, len(shape) + rule.axis + 1).reshape(shape)
