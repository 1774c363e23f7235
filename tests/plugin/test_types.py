"""Element types: numbers as in NVIDIA's headers, bytes, and bfloat16's rounding."""

import re

import numpy as np
import pytest

from grader.plugin.fields import field_bytes, other_value
from grader.plugin.spec import Attribute
from grader.plugin.types import (
    FIELD_TYPES,
    TENSOR_TYPES,
    TYPES,
    element_type,
    field_type,
    from_bfloat16,
    pack,
    rounded,
    tensor_type,
    to_bfloat16,
    unpack,
)
from grader.toolchain.tensorrt import tensorrt_include

HEADER_NAMES = {
    "kFLOAT": "float32", "kHALF": "float16", "kINT8": "int8", "kINT32": "int32", "kBOOL": "bool", "kUINT8": "uint8",
    "kFP8": "float8", "kBF16": "bfloat16", "kINT64": "int64", "kINT4": "int4", "kFP4": "float4", "kE8M0": "e8m0",
    "kFLOAT16": "float16", "kFLOAT32": "float32", "kFLOAT64": "float64", "kINT16": "int16", "kCHAR": "char",
    "kDIMS": "dims", "kUNKNOWN": "unknown",
}  # fmt: skip


@pytest.mark.parametrize(("header", "enum", "names", "number"), [
    ("NvInferRuntimeBase.h", "DataType", TENSOR_TYPES, "tensor"),
    ("NvInferPluginBase.h", "PluginFieldType", FIELD_TYPES, "field"),
])  # fmt: skip
def test_numbers_are_those_of_the_headers(header, enum, names, number):
    include = tensorrt_include()
    if include is None:
        pytest.skip("no TensorRT headers here")
    body = re.search(rf"enum class {enum} : int32_t\s*{{(.*?)}};", (include / header).read_text(), re.S).group(1)
    entries = {HEADER_NAMES[name]: int(value) for name, value in re.findall(r"^\s*(k\w+) = (\d+)", body, re.M)}
    assert entries == {name: getattr(TYPES[name], number) for name in names}


def test_numbers_back_to_names():
    assert [tensor_type(n) for n in (0, 1, 7, 8, 99)] == ["float32", "float16", "bfloat16", "int64", None]
    assert [field_type(n) for n in (0, 6, 9, 99)] == ["float16", "char", "bfloat16", None]


def test_the_nearest_name_is_offered():
    with pytest.raises(KeyError, match="did you mean 'float32'"):
        element_type("flaot32")


def test_bfloat16_keeps_every_value_that_it_has():
    bits = np.arange(1 << 16, dtype=np.uint16)
    values = from_bfloat16(bits)
    back = to_bfloat16(values)
    number = ~np.isnan(values)
    assert (back[number] == bits[number]).all()
    assert np.isnan(from_bfloat16(back[~number])).all()
    assert (np.signbit(from_bfloat16(back)) == np.signbit(values)).all()


def test_bfloat16_rounds_to_the_nearest_and_ties_to_even():
    one = 0x3F80  # 1.0; its neighbour is 1 + 2^-7
    tie = 1 + 2.0**-8
    values = [tie, tie + 2.0**-50, tie - 2.0**-50, 1 + 3 * 2.0**-8, -tie, 3.4e38, np.inf, -np.inf]
    assert to_bfloat16(values).tolist() == [one, one + 1, one, one + 2, one | 0x8000, 0x7F80, 0x7F80, 0xFF80]


def test_bfloat16_rounds_random_doubles_once():
    rng = np.random.default_rng(0)
    values = rng.standard_normal(2000) * 2.0 ** rng.integers(-140, 120, 2000)
    got = from_bfloat16(to_bfloat16(values)).astype(np.float64)
    for step in (-1, 1):
        beside = from_bfloat16((to_bfloat16(values).astype(np.int32) + step).astype(np.uint16)).astype(np.float64)
        assert not (np.abs(beside - values) < np.abs(got - values)).any()


@pytest.mark.parametrize(
    "name", ["float32", "float16", "bfloat16", "float64", "int8", "int16", "int32", "int64", "bool"]
)
def test_bytes_and_back(name):
    values = rounded(np.array([[0, 1, 1], [1, 0, 1]]), name)
    data = pack(values, name)
    assert len(data) == 6 * TYPES[name].size
    assert (unpack(data, name, (2, 3)) == values).all()


def test_integers_must_fit():
    with pytest.raises(ValueError, match="-128 to 127"):
        rounded([200], "int8")
    with pytest.raises(ValueError, match="int32"):
        rounded([0.5], "int32")


def test_types_without_values_say_so():
    with pytest.raises(TypeError, match="float8 are not supported"):
        pack([1.0], "float8")


def test_fields_count_elements_and_text_its_nul():
    assert field_bytes("char", "gelu") == (b"gelu\0", 5)
    assert field_bytes("int32", 7) == (b"\7\0\0\0", 1)
    assert field_bytes("bfloat16", (1.0, -2.0)) == (b"\x80\x3f\x00\xc0", 2)
    data, length = field_bytes("dims", (2, 3))
    assert (len(data), length) == (72, 1)
    assert np.frombuffer(data, "<i8").tolist() == [2, 2, 3, 0, 0, 0, 0, 0, 0]
    assert field_bytes("dims", ((1,), (2,)))[1] == 2


@pytest.mark.parametrize(("kind", "value"), [
    ("float32", 1.0), ("float32", 0.0), ("float16", -3.0), ("int8", 127), ("int32", (1, 2)), ("char", "same"),
    ("dims", (7, 7)), ("float64", 1e300), ("bfloat16", 2.0),
])  # fmt: skip
def test_another_value_is_another_value(kind, value):
    other = other_value(Attribute("a", kind, value))
    assert field_bytes(kind, other) != field_bytes(kind, value)
