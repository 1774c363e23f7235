"""The element types of tensors and attributes: their names, TensorRT's numbers for them, and their bytes.

Numbers are those of ``nvinfer1::DataType`` (``NvInferRuntimeBase.h``) and ``nvinfer1::PluginFieldType``
(``NvInferPluginBase.h``), TensorRT 10.14. Values are NumPy arrays. NumPy has no bfloat16: its values are carried as
float32 arrays that bfloat16 represents exactly, and become uint16 only as bytes. The types below a byte and FP8 have
names and numbers here but no values.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

import numpy as np

DIMS = np.dtype([("rank", "<i4"), ("", "<i4"), ("extents", "<i8", 8)])  # nvinfer1::Dims64, padding included


@dataclass(frozen=True)
class ElementType:
    name: str
    tensor: int | None  # nvinfer1::DataType; None: no tensor has it
    field: int | None  # nvinfer1::PluginFieldType; None: no attribute has it
    dtype: np.dtype | None  # of the values; None: values of this type are not supported
    bits: int  # of one element in memory

    @property
    def size(self) -> int:
        """Bytes of one element; ``TypeError`` for a type below a byte."""
        if self.bits % 8:
            raise TypeError(f"an element of {self.name} is no whole number of bytes")
        return self.bits // 8

    @property
    def floating(self) -> bool:
        return self.dtype is not None and self.dtype.kind == "f"

    @property
    def integer(self) -> bool:
        return self.dtype is not None and self.dtype.kind in "iu"


def _type(name, tensor, field, dtype, bits):
    return ElementType(name, tensor, field, None if dtype is None else np.dtype(dtype), bits)


_ALL = (
    _type("float32", 0, 1, "<f4", 32),
    _type("float16", 1, 0, "<f2", 16),
    _type("bfloat16", 7, 9, "<f4", 16),
    _type("float64", None, 2, "<f8", 64),
    _type("int8", 2, 3, "i1", 8),
    _type("int16", None, 4, "<i2", 16),
    _type("int32", 3, 5, "<i4", 32),
    _type("int64", 8, 10, "<i8", 64),
    _type("uint8", 5, None, "u1", 8),
    _type("bool", 4, None, "?", 8),
    _type("char", None, 6, "S1", 8),
    _type("dims", None, 7, DIMS, 8 * DIMS.itemsize),
    _type("unknown", None, 8, "u1", 8),
    _type("float8", 6, 11, None, 8),
    _type("int4", 9, 12, None, 4),
    _type("float4", 10, 13, None, 4),
    _type("e8m0", 11, None, None, 8),
)
TYPES = {each.name: each for each in _ALL}
TENSOR_TYPES = tuple(each.name for each in _ALL if each.tensor is not None)
FIELD_TYPES = tuple(each.name for each in _ALL if each.field is not None)


def element_type(name: str) -> ElementType:
    """The type of that name; ``KeyError`` with the nearest one."""
    if name not in TYPES:
        near = difflib.get_close_matches(name, TYPES, n=1)
        raise KeyError(f"there is no element type {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    return TYPES[name]


def tensor_type(number: int) -> str | None:
    """The name of a ``nvinfer1::DataType``; None for a number that 10.14 does not know."""
    return next((each.name for each in _ALL if each.tensor == number), None)


def field_type(number: int) -> str | None:
    """The name of a ``nvinfer1::PluginFieldType``; None for a number that 10.14 does not know."""
    return next((each.name for each in _ALL if each.field == number), None)


def rounded(values, name: str) -> np.ndarray:
    """The values as the type holds them: floats to the nearest, ties to even; integers must fit (``ValueError``)."""
    kind = _with_values(name)
    values = np.asarray(values)
    if name == "bfloat16":
        return from_bfloat16(to_bfloat16(values))
    if kind.integer and values.size:
        info = np.iinfo(kind.dtype)
        whole = np.isfinite(values).all() and (values == np.floor(values)).all() if values.dtype.kind == "f" else True
        if not whole or int(values.min()) < info.min or int(values.max()) > info.max:
            raise ValueError(f"a value does not fit into {name}, which holds whole numbers {info.min} to {info.max}")
    with np.errstate(over="ignore"):
        return values.astype(kind.dtype)


def pack(values, name: str) -> bytes:
    """The bytes of an array in memory, row by row."""
    values = np.ascontiguousarray(rounded(values, name))
    return (to_bfloat16(values) if name == "bfloat16" else values).tobytes()


def unpack(data: bytes, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The array that ``pack`` made into bytes; ``ValueError`` where the length does not fit."""
    kind = _with_values(name)
    if name == "bfloat16":
        return from_bfloat16(np.frombuffer(data, "<u2")).reshape(shape)
    return np.frombuffer(data, kind.dtype).reshape(shape)


def to_bfloat16(values) -> np.ndarray:
    """The bits (uint16) of the nearest bfloat16 of each number, ties to even; a NaN stays one, with its sign.

    Rounded once: the step through float32 goes to odd, so that a float64 close to a tie does not move onto it.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a signalling NaN counts as invalid
        exact = np.asarray(values, np.float64)
        single = exact.astype(np.float32)
    back = single.astype(np.float64)
    bits = single.view(np.uint32).astype(np.uint32)
    bits = np.where(np.abs(back) > np.abs(exact), bits - 1, bits)  # towards zero
    bits = np.where(back != exact, bits | 1, bits)  # sticky
    nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    nan = ((single.view(np.uint32) >> 16) & 0x8000) | 0x7FC0
    return np.where(np.isnan(exact), nan, nearest).astype(np.uint16)


def from_bfloat16(bits) -> np.ndarray:
    """The float32 values of bfloat16 bits (uint16); exact."""
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def _with_values(name: str) -> ElementType:
    kind = element_type(name)
    if kind.dtype is None or name in ("dims", "char"):
        raise TypeError(f"values of type {name} are not supported as array elements")
    return kind
