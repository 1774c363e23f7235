"""The models behind the operator cards of chapter 1: operators as exported, what they are rewritten to, what merges."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from why_models import INT32, constant, model, node, skip, tensor, voxel

INT64 = TensorProto.INT64
_X = [tensor("x", [2, 8, 16, 16])]
_Y = [tensor("y", None)]


def one(kind: str, shapes: dict, constants=(), *, outputs: str = "y", opset: int = 17, domain: str = "", **options):
    """A model of one node. ``shapes``: of its inputs, which stand before the constants."""
    inputs = [tensor(name, *(shape if isinstance(shape, tuple) else (shape,))) for name, shape in shapes.items()]
    names = " ".join([*shapes, *(each.name for each in constants)])
    made = node(kind, names, outputs, kind.lower(), domain=domain, **options)
    outs = [tensor(name, None) for name in outputs.split()]
    return model([made], inputs, outs, constants, opset=opset, domains=[domain] if domain else [])


def chain(*steps, shapes=None, constants=(), opset: int = 17):
    """A model of nodes, each ``(kind, inputs, output, options)``."""
    inputs = _X if shapes is None else [tensor(name, shape) for name, shape in shapes.items()]
    nodes = [node(kind, names, out, f"n{i}", **options) for i, (kind, names, out, options) in enumerate(steps)]
    return model(nodes, inputs, _Y, constants, opset=opset)


def scalar(name: str, value: float):
    return constant(name, np.float32(value))


def ints(name: str, *values: int):
    return constant(name, np.array(values, np.int64))


def gelu_parts():
    steps = [("Div", "x root2", "a", {}), ("Erf", "a", "b", {}), ("Add", "b one", "c", {}), ("Mul", "x c", "d", {}),
             ("Mul", "d half", "y", {})]  # fmt: skip
    return chain(*steps, constants=[scalar("root2", 2**0.5), scalar("one", 1), scalar("half", 0.5)])


def position_bias():
    steps = [("Gather", "table index", "a", {"axis": 0}), ("Transpose", "a", "b", {"perm": [2, 0, 1]}),
             ("Add", "scores b", "y", {})]  # fmt: skip
    inputs = [tensor("scores", [1, 4, "S", "S"]), tensor("index", ["S", "S"], INT64)]
    nodes = [node(kind, names, out, f"n{i}", **options) for i, (kind, names, out, options) in enumerate(steps)]
    return model(nodes, inputs, _Y, [constant("table", np.zeros((31, 4), np.float32))])


def rotary_parts():
    steps = [("Slice", "x zero four last", "a", {}), ("Slice", "x four eight last", "b", {}), ("Neg", "b", "c", {}),
             ("Concat", "c a", "r", {"axis": -1}), ("Mul", "x cos", "p", {}), ("Mul", "r sin", "q", {}),
             ("Add", "p q", "y", {})]  # fmt: skip
    shapes = {"x": [1, 2, 4, 8], "cos": [4, 8], "sin": [4, 8]}
    return chain(*steps, shapes=shapes, constants=[ints("zero", 0), ints("four", 4), ints("eight", 8), ints("last", 3)])


def kv_cache():
    return chain(("Concat", "past key", "y", {"axis": 2}), shapes={"past": [1, 16, "P", 64], "key": [1, 16, 1, 64]})


def nms():
    floats = [constant(name, np.array([value], np.float32)) for name, value in (("overlap", 0.5), ("least", 0.1))]
    return one("NonMaxSuppression", {"boxes": [1, 20, 4], "scores": [1, 2, 20]}, [ints("most", 10), *floats])


def channel_shuffle():
    turn = {"perm": [0, 2, 1, 3, 4]}
    steps = [("Reshape", "x apart", "a", {}), ("Transpose", "a", "b", turn), ("Reshape", "b back", "y", {})]
    return chain(*steps, constants=[ints("apart", 2, 2, 4, 16, 16), ints("back", 2, 8, 16, 16)])


def layer_norm():
    weights = [constant("scale", np.ones(16, np.float32)), constant("bias", np.zeros(16, np.float32))]
    return one("LayerNormalization", {"x": [2, 8, 16, 16]}, weights)


X = {"x": [2, 8, 16, 16]}
MODELS = {
    "leaky": lambda: one("LeakyRelu", X, alpha=0.1),
    "prelu": lambda: one("PRelu", X, [constant("slope", np.ones((8, 1, 1), np.float32))]),
    "gather_nd": lambda: one("GatherND", {"x": [4, 5, 6], "index": ([2, 2], INT64)}),
    "einsum": lambda: one("Einsum", {"a": [2, 3, 4], "b": [2, 4, 5]}, equation="bij,bjk->bik"),
    "nms": nms,
    "gelu_parts": gelu_parts,
    "swish_parts": lambda: chain(("Sigmoid", "x", "a", {}), ("Mul", "x a", "y", {})),
    "adaptive_pool": lambda: one("ATen", X, domain="org.pytorch.aten", operator="adaptive_avg_pool2d"),
    "position_bias": position_bias,
    "rotated_roi": lambda: one("RotatedRoIAlign", {"x": [1, 8, 16, 16], "boxes": [4, 5]}, domain="my.vision"),
    "voxel": voxel,
    "rotary_parts": rotary_parts,
    "kv_cache": kv_cache,
    "relu6": lambda: one("Clip", X, [scalar("low", 0), scalar("high", 6)]),
    "layer_norm": layer_norm,
    "grid_sample": lambda: one("GridSample", {"x": [1, 3, 8, 8], "grid": [1, 4, 4, 2]}),
    "gelu": lambda: one("Gelu", X, opset=20, approximate="tanh"),
    "hard_swish": lambda: one("HardSwish", X),
    "mish": lambda: one("Mish", X, opset=18),
    "skip": skip,
    "fast_gelu": lambda: one("FastGelu", X, domain="com.microsoft"),
    "compress": lambda: one("Compress", {"x": [2, 4]}, [constant("kept", np.array([True, False]))], axis=0),
    "sequence": lambda: chain(("SequenceConstruct", "x x", "s", {}), ("ConcatFromSequence", "s", "y", {"axis": 0})),
    "det": lambda: one("Det", {"x": [3, 3]}),
    "channel_shuffle": channel_shuffle,
    "scaled_transpose": lambda: chain(("Transpose", "x", "a", {"perm": [0, 1, 3, 2]}), ("Mul", "a two", "y", {}),
                                      constants=[scalar("two", 2)]),
    "transposed_softmax": lambda: chain(("Mul", "x two", "a", {}), ("Transpose", "a", "b", {"perm": [0, 1, 3, 2]}),
                                        ("Softmax", "b", "y", {"axis": -1}), constants=[scalar("two", 2)]),
    "scatter_add": lambda: one("ScatterND", {"x": [4, 4], "index": ([2, 1], INT64), "rows": [2, 4]}, reduction="add"),
    "rotated_nms": lambda: one("RotatedNMS", {"boxes": [1, 20, 5], "scores": [1, 20]}, domain="my.vision"),
    "unique": lambda: one("Unique", {"x": [10]}),
    "deform_conv": lambda: one("DeformConv", {"x": [1, 3, 8, 8], "w": [4, 3, 3, 3], "offset": [1, 18, 6, 6]}, opset=19),
    "scatter_points": lambda: one("ScatterPoints", {"x": [100, 4], "voxel": ([100], INT32)}, domain="my.vision"),
}  # fmt: skip


def det_parts():
    """Of a 2 x 2 matrix: a d - b c."""
    picks = [("Gather", f"x {name}", name.upper(), {"axis": 0}) for name in "abcd"]
    steps = [*picks, ("Mul", "A D", "p", {}), ("Mul", "B C", "q", {}), ("Sub", "p q", "y", {})]
    return chain(*steps, shapes={"x": [4]}, constants=[constant(name, np.int64(i)) for i, name in enumerate("abcd")])


# what each `rewrite` stands for, by the operator's name
REWRITES = {
    "AdaptiveAvgPool": lambda: one("AveragePool", {"x": [1, 8, 14, 14]}, kernel_shape=[2, 2], strides=[2, 2]),
    "SkipLayerNormalization": lambda: chain(
        ("Add", "x r", "s", {}), ("LayerNormalization", "s g b", "y", {}), shapes={"x": [1, 16, 64], "r": [1, 16, 64]},
        constants=[constant("g", np.ones(64, np.float32)), constant("b", np.zeros(64, np.float32))],
    ),
    "FastGelu": lambda: one("Gelu", X, opset=20, approximate="tanh"),
    "Compress": lambda: one("Gather", {"x": [2, 4]}, [ints("kept", 0)], axis=0),
    "SequenceConstruct": lambda: chain(("Concat", "x x", "y", {"axis": 0})),
    "Det": det_parts,
}  # fmt: skip

_KERNEL = [constant("w", np.ones((8, 8, 3, 3), np.float32))]
# operator and neighbour, one behind the other
MERGED = {
    ("LeakyReLU", "convolution"): lambda: chain(
        ("Conv", "x w", "a", {}), ("LeakyRelu", "a", "y", {"alpha": 0.1}), constants=_KERNEL
    ),
    ("ReLU6", "convolution"): lambda: chain(
        ("Conv", "x w", "a", {}), ("Clip", "a low high", "y", {}),
        constants=[*_KERNEL, scalar("low", 0), scalar("high", 6)],
    ),
    ("Gelu", "matrix product"): lambda: chain(
        ("MatMul", "x w", "a", {}), ("Gelu", "a", "y", {"approximate": "tanh"}), opset=20,
        shapes={"x": [16, 64]}, constants=[constant("w", np.ones((64, 64), np.float32))],
    ),
}  # fmt: skip
