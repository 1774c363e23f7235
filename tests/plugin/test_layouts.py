"""Memory layouts, by small examples made by hand from the comments of ``TensorFormat`` in NvInferRuntime.h 10.14."""

import numpy as np
import pytest

from grader.plugin.layouts import (
    LAYOUTS,
    candidates,
    fits,
    from_layout,
    layout_bytes,
    padded_shape,
    tensor_marks,
    to_layout,
)
from grader.plugin.spec_records import FORMATS

# Three channels of 1 x 2: channel c holds 10 c, 10 c + 1.
SMALL = np.array([[[[0, 1]], [[10, 11]], [[20, 21]]]])


def lying(values, kind, layout, dtype):
    return np.frombuffer(to_layout(values, kind, layout), dtype).tolist()


def test_linear_is_a_c_array():
    assert lying(SMALL, "int8", "linear", "i1") == [0, 1, 10, 11, 20, 21]


def test_chw2_has_pairs_of_channels_at_each_point_and_pads_the_last():
    assert lying(SMALL, "float16", "chw2", "<f2") == [0, 10, 1, 11, 20, 0, 21, 0]


def test_chw4_has_four_channels_at_each_point():
    assert lying(SMALL, "int8", "chw4", "i1") == [0, 10, 20, 0, 1, 11, 21, 0]


def test_hwc_has_all_channels_of_a_point_together_without_padding():
    assert lying(SMALL, "float32", "hwc", "<f4") == [0, 10, 20, 1, 11, 21]


def test_hwc8_pads_the_channels_of_each_point_to_eight():
    assert lying(SMALL, "float16", "hwc8", "<f2") == [0, 10, 20, 0, 0, 0, 0, 0, 1, 11, 21, 0, 0, 0, 0, 0]


def test_hwc16_pads_to_sixteen():
    expected = [0, 10, 20, *[0] * 13, 1, 11, 21, *[0] * 13]
    assert lying(SMALL, "int8", "hwc16", "i1") == expected


def test_chw32_of_33_channels_has_two_vectors():
    values = np.arange(66).reshape(33, 1, 2)
    got = np.frombuffer(to_layout(values, "int8", "chw32"), "i1").reshape(2, 1, 2, 32)
    assert got[0, 0, 0, 5] == values[5, 0, 0] and got[0, 0, 1, 31] == values[31, 0, 1]
    assert got[1, 0, 1, 0] == values[32, 0, 1] and not got[1, 0, :, 1:].any()


def test_chw2_and_chw32_are_vector_major():
    values = np.arange(4 * 2 * 3).reshape(4, 2, 3)
    got = np.frombuffer(to_layout(values, "float16", "chw2"), "<f2").reshape(2, 2, 3, 2)
    for c in range(4):
        assert (got[c // 2, :, :, c % 2] == values[c]).all()


def test_formats_with_depth_pack_the_fourth_axis_from_the_end():
    values = np.arange(2 * 3 * 1 * 2).reshape(2, 3, 1, 2)  # C D H W
    eight = np.frombuffer(to_layout(values, "float16", "dhwc8"), "<f2").reshape(3, 1, 2, 8)
    assert (eight[..., 0] == values[0]).all() and (eight[..., 1] == values[1]).all() and not eight[..., 2:].any()
    plain = np.frombuffer(to_layout(values, "float32", "dhwc"), "<f4").reshape(3, 1, 2, 2)
    assert (plain == np.moveaxis(values, 0, -1)).all()
    major = np.frombuffer(to_layout(values, "float16", "cdhw32"), "<f2").reshape(1, 3, 1, 2, 32)
    assert (major[0, ..., 1] == values[1]).all()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(2, 5, 3, 2, 2), (1, 1, 1, 1), (2, 40, 0, 3), (0, 3, 2, 2)])
def test_every_layout_comes_back(layout, shape):
    kind = (LAYOUTS[layout].types or ("float16",))[0]
    values = (np.arange(np.prod(shape)) % 100).reshape(shape).astype("f4" if kind != "int8" else "i1")
    data = to_layout(values, kind, layout)
    assert len(data) == layout_bytes(shape, kind, layout)
    assert (from_layout(data, shape, kind, layout) == values).all()
    marks = tensor_marks(shape, kind, layout)
    assert len(marks) == len(data)
    assert not np.frombuffer(data, "u1")[~marks].any()


def test_too_few_axes_are_refused():
    assert not fits((4, 4), "float16", "hwc8") and fits((4, 4, 4), "float16", "hwc8")
    assert not fits((4, 4, 4), "float16", "dla_linear") and not fits((4,), "float8", "linear")
    with pytest.raises(ValueError, match="cannot be laid out as dhwc8"):
        padded_shape((3, 4, 5), "dhwc8")
    with pytest.raises(ValueError, match="dla_hwc4"):
        padded_shape((1, 3, 4, 5), "dla_hwc4")


def test_candidates_depend_on_the_rank_and_hold_what_a_plugin_may_have():
    assert {layout for _, layout in candidates(2)} == {"linear"}
    assert ("float16", "hwc8") in candidates(3) and ("float16", "dhwc8") not in candidates(3)
    assert ("float32", "dhwc") in candidates(4)
    everything = candidates(8)
    assert not {kind for kind, _ in everything} & {"bool", "uint8"}
    assert {layout for _, layout in everything} <= set(FORMATS)
