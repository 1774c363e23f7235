"""Attributes as ``nvinfer1::PluginField`` data: bytes and length, and a second legal value of each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from grader.plugin.spec_records import Attribute
from grader.plugin.types import DIMS, TYPES, pack, rounded

MAX_RANK = 8  # Dims::MAX_DIMS


def field_bytes(type_name: str, value: Any) -> tuple[bytes, int]:
    """The bytes that ``PluginField::data`` points at, and ``PluginField::length``.

    The length counts elements, and bytes for ``unknown`` (``NvInferPluginBase.h``, 10.14). Text ends in a NUL that
    counts, as TensorRT's ONNX parser passes it. ``ValueError`` where a value does not fit its type.
    """
    if type_name == "char":
        data = value.encode() + b"\0" if isinstance(value, str) else bytes(value)
        return data, len(data)
    if type_name == "dims":
        return _dims(value)
    if TYPES[type_name].dtype is None:
        raise ValueError(f"values of type {type_name} are not supported")
    values = np.atleast_1d(np.asarray(value))
    return pack(values, type_name), int(values.size)


def _dims(value) -> tuple[bytes, int]:
    several = value if value and isinstance(value[0], (list, tuple)) else (value,)
    data = np.zeros(len(several), DIMS)
    for record, extents in zip(data, several, strict=True):
        if len(extents) > MAX_RANK:
            raise ValueError(f"dims have at most {MAX_RANK} extents, not {len(extents)}")
        record["rank"] = len(extents)
        record["extents"][: len(extents)] = extents
    return data.tobytes(), len(several)


def reference_value(type_name: str, value: Any) -> Any:
    """The value as the reference function gets it: number and text as they are, several numbers as an array."""
    if isinstance(value, (str, bool)) or type_name == "dims":
        return list(value) if isinstance(value, tuple) else value
    if isinstance(value, tuple):
        return rounded(np.asarray(value), type_name) if type_name != "char" else bytes(value).decode()
    return rounded(value, type_name)[()].item()


def attribute_values(attributes: tuple[Attribute, ...], **changed: Any) -> dict[str, Any]:
    """Name to value, as the reference gets them; ``changed`` replaces values by name."""
    return {each.name: reference_value(each.type, changed.get(each.name, each.value)) for each in attributes}


def other_value(attribute: Attribute) -> Any:
    """A value different from ``value`` that is legal as far as can be told: the spec's ``other``, else one made up.

    Fractions keep their sign and grow by about a half, whole numbers grow by 1, text gets a letter more.
    """
    if attribute.other is not None:
        return attribute.other
    value = attribute.value
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return tuple(tuple(n + 1 for n in each) for each in value)
        return tuple(_moved(each, attribute.type) for each in value)
    return _moved(value, attribute.type)


def _moved(value: float, type_name: str) -> float:
    if type_name == "dims" or not TYPES[type_name].floating:
        info = None if type_name in ("dims", "char") else np.iinfo(TYPES[type_name].dtype)
        return value - 1 if info and value >= info.max else value + 1
    moved = value / 2 if abs(value) > 1e4 else 1.5 * value + math.copysign(0.25, value)
    return rounded(moved, type_name)[()].item()
