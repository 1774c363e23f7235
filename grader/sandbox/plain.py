"""Plain values over a wire: JSON for the structure, raw bytes for the arrays. Nothing is ever unpickled."""

from __future__ import annotations

import math
import re

import numpy as np

ARRAY = "array"
KINDS = "biuf"  # boolean, integers, floats
_DTYPE = re.compile(f"[<>|][{KINDS}](1|2|4|8|16)")  # as ``dtype.str`` writes them
LARGEST_ARRAY = 64 << 20  # bytes
DEEPEST = 50  # lists in lists; well below where any Python's recursion ends


def encode(value) -> tuple[object, bytes]:
    """A JSON-able structure and the arrays' bytes. ``TypeError`` names a type that is not plain.

    Only exact types pass: a subclass could override what its values say of themselves.
    """
    payload = bytearray()

    def walk(v, depth=0):
        if depth > DEEPEST:
            raise TypeError(f"a value nested more than {DEEPEST} deep")
        kind = type(v)
        if v is None or kind in (bool, str):
            return v
        if kind is int:
            return {"int": str(v)}
        if kind is float:
            return v if math.isfinite(v) else {"float": repr(v)}
        if isinstance(v, np.generic):
            v, kind = np.asarray(v), np.ndarray
        if kind is np.ndarray:
            if v.dtype.kind not in KINDS:
                raise TypeError(f"an array of {v.dtype}")
            offset = len(payload)
            payload.extend(np.ascontiguousarray(v).tobytes())
            return {ARRAY: [v.dtype.str, list(v.shape), offset]}
        if kind is list:
            return [walk(x, depth + 1) for x in v]
        if kind is tuple:
            return {"tuple": [walk(x, depth + 1) for x in v]}
        if kind is dict:
            if any(type(k) is not str for k in v):
                raise TypeError("a dict whose keys are not all text")
            return {"dict": {k: walk(x, depth + 1) for k, x in v.items()}}
        raise TypeError(f"a value of type {kind.__name__}")

    return walk(value), bytes(payload)


def decode(structure, payload: bytes, depth: int = 0):
    """The value of ``encode``. ``ValueError`` if the structure is not one that ``encode`` makes."""
    if depth > DEEPEST:
        raise ValueError(f"a value nested more than {DEEPEST} deep")
    if structure is None or type(structure) in (bool, str, float):
        return structure
    if type(structure) is list:
        return [decode(x, payload, depth + 1) for x in structure]
    if type(structure) is not dict or len(structure) != 1:
        raise ValueError("not a plain value")
    ((tag, body),) = structure.items()
    try:
        if tag == "int" and len(body) < 400:
            return int(body)
        if tag == "float" and body in ("inf", "-inf", "nan"):
            return float(body)
        if tag == "tuple":
            return tuple(decode(x, payload, depth + 1) for x in body)
        if tag == "dict":
            return {str(k): decode(v, payload, depth + 1) for k, v in body.items()}
        if tag == ARRAY:
            return _array(*body, payload)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"not a plain value: {error}") from None
    raise ValueError(f"not a plain value: {tag!r}")


def _array(dtype, shape, offset, payload):
    if type(dtype) is not str or not _DTYPE.fullmatch(dtype):  # NumPy reads much more into such a text
        raise ValueError("not an array of numbers")
    dtype = np.dtype(dtype)
    if any(type(n) is not int or n < 0 for n in shape) or len(shape) > 32:
        raise ValueError("not an array of numbers")
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes > LARGEST_ARRAY:
        raise ValueError(f"an array of {nbytes >> 20} MB; the largest that is taken has {LARGEST_ARRAY >> 20} MB")
    if type(offset) is not int or offset < 0 or offset + nbytes > len(payload):
        raise ValueError("an array that reaches outside its bytes")
    return np.frombuffer(payload[offset : offset + nbytes], dtype).reshape(shape)
