import struct

import numpy as np
import pytest

from grader.gpu import mirror as cp
from grader.gpu.mirror.arguments import pack

half = "b8:2"  # how __half stands in PTX


@pytest.mark.parametrize(
    "value, kind, expected",
    [
        (7, "u32", struct.pack("<i", 7)),  # CuPy passes 8 bytes, the first 4 arrive
        (-1, "u32", struct.pack("<i", -1)),
        (2**32 - 1, "u32", b"\xff" * 4),
        (7, "u64", struct.pack("<q", 7)),
        (True, "u8", b"\1"),
        (False, "u32", bytes(4)),
        (np.int64(5), "u32", struct.pack("<i", 5)),
        (np.uint8(255), "u8", b"\xff"),
        (1.5, "f64", struct.pack("<d", 1.5)),
        (np.float32(1.5), "f32", struct.pack("<f", 1.5)),
        (np.float16(1.5), half, np.float16(1.5).tobytes()),
        (np.array([2.5], np.float32), "f32", struct.pack("<f", 2.5)),
        (np.array(3, np.int16), "u16", struct.pack("<h", 3)),
        (None, "u64", bytes(8)),
        (1 + 2j, "b8:16", struct.pack("<dd", 1, 2)),
    ],
)
def test_what_arrives_whole_is_passed_as_cupy_does(info, value, kind, expected):
    assert pack((value,), info(kind)) == expected


def test_layout_follows_the_parameters(info, device):
    x = cp.zeros(3, cp.float32)
    block = pack((np.int8(1), x, 2, np.float32(3)), info("u8", "u64", "u32", "f32"))
    assert struct.unpack("<b7xQif", block) == (1, x.data.ptr, 2, 3.0)


@pytest.mark.parametrize(
    "value, kind, words",
    [
        (0.5, "f32", ["Python float", "8-byte float", "4-byte floating-point", "Write np.float32(0.5)"]),
        (1, "f32", ["Python int", "Write np.float32(1)"]),
        (1, "f64", ["its bits would be taken for another number", "np.float64(1)"]),
        (np.int32(1), "f32", ["NumPy int32", "np.float32"]),
        (np.float32(1), "u32", ["NumPy float32", "np.int32"]),
        (np.int32(1), "u64", ["read past its end", "np.int64"]),
        (np.float32(1), "f64", ["read past its end"]),
        (1, half, ["Python int", "np.float16"]),
        (2**40, "u32", ["would lose its upper bytes"]),
        (-(2**31) - 1, "u32", ["would lose its upper bytes"]),
        (np.array([1]), "f32", ["np.float32"]),
    ],
)
def test_what_would_arrive_broken_is_refused(info, value, kind, words):
    with pytest.raises(TypeError) as caught:
        pack((np.int32(0), value), info("u32", kind))
    assert "argument 2 of kernel k" in str(caught.value)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("kind", ["u32", "f32", half, "f64"])
def test_an_array_needs_a_pointer(info, device, kind):
    with pytest.raises(TypeError, match="an array on the device .*8-byte pointer"):
        pack((cp.zeros(1),), info(kind))


def test_cupys_own_refusals(info):
    with pytest.raises(TypeError, match=r"numpy.ndarray of shape \(2,\).*cupy.ndarray"):
        pack((np.zeros(2),), info("u64"))
    with pytest.raises(TypeError, match="Unsupported type <class 'str'>"):
        pack(("text",), info("u64"))
    with pytest.raises(OverflowError):
        pack((2**70,), info("u64"))


@pytest.mark.parametrize("args", [(), (1, 2, 3)])
def test_a_wrong_number_of_arguments_says_what_the_kernel_takes(info, args):
    with pytest.raises(TypeError, match=r"2 parameters \(8-byte pointer or integer, 4-byte integer\), but . argument"):
        pack(args, info("u64", "u32"))
