import numpy as np
import pytest

from grader.sandbox import plain


def round_trip(value):
    return plain.decode(*plain.encode(value))


@pytest.mark.parametrize(
    "value", [None, True, 7, -(10**30), 1.5, float("inf"), "text", [1, [2]], (1, "a"), {"k": (1,)}]
)
def test_plain_values_come_back(value):
    assert round_trip(value) == value and type(round_trip(value)) is type(value)


def test_arrays_come_back_bit_for_bit():
    a, b = np.array([1.5, np.nan], np.float16), np.arange(6, dtype=np.uint8).reshape(2, 3)
    x, y = round_trip([a, (b,)])
    assert x.dtype == a.dtype and x.tobytes() == a.tobytes()
    assert y[0].shape == (2, 3) and (y[0] == b).all()


class AlwaysEqual(float):
    def __eq__(self, other):
        return True


@pytest.mark.parametrize("value", [AlwaysEqual(1), np.array([object()]), {1: 2}, {1, 2}, lambda: 0, b"x"])
def test_what_is_not_plain_is_refused(value):
    with pytest.raises(TypeError):
        plain.encode(value)


@pytest.mark.parametrize(
    "structure",
    [
        {"array": ["<f4", [2], 0]}, {"array": ["<f4", [-1], 0]}, {"array": ["O", [1], 0]}, {"array": [[], 1]},
        {"array": ["(,)f4", [1], 0]}, {"array": ["<f4", [1], -4]}, {"pickle": "x"}, 
        {"a": 1, "b": 2}, 3, {"float": "1e5"}, {"int": "x"},
    ],
)  # fmt: skip
def test_forged_structures_are_refused(structure):
    with pytest.raises((ValueError, TypeError)):
        plain.decode(structure, b"1234")


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


def test_depth_is_bounded_on_both_sides():
    assert round_trip(nested(plain.DEEPEST)) == nested(plain.DEEPEST)
    with pytest.raises(TypeError, match="nested"):
        plain.encode(nested(plain.DEEPEST + 1))
    with pytest.raises(ValueError, match="nested"):
        plain.decode(nested(plain.DEEPEST + 1), b"")
