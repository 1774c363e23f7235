"""Small ONNX models for tests, those that a stranger would send among them."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
DOMAINS = {"": 17, "com.example": 1, "com.microsoft": 1}


def value(name, shape=(1, 4), kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def node(operator, inputs="x", outputs="y", **attributes):
    return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)


def proto(*nodes, tensors=(), inputs=(), outputs=(), functions=(), domains=DOMAINS):
    """An ``onnx.ModelProto`` from x to y, of one row of four numbers, unless said otherwise."""
    graph = helper.make_graph(nodes, "g", inputs or [value("x")], outputs or [value("y")], initializer=tensors)
    opsets = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
    return helper.make_model(graph, opset_imports=opsets, functions=functions, ir_version=10)


def model(*nodes, **rest):
    return proto(*nodes, **rest).SerializeToString()


def tensor(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def external(name="w"):
    """Four numbers that are said to lie in a file."""
    made = TensorProto(name=name, data_type=FLOAT, dims=[1, 4], data_location=TensorProto.EXTERNAL)
    entry = made.external_data.add()
    entry.key, entry.value = "location", "weights.bin"
    return made


def branch(*nodes, tensors=()):
    return helper.make_graph(nodes, "branch", [], [value(nodes[-1].output[0])], initializer=tensors)


def nested(depth):
    """An If in an If in an If …; c says which way."""
    inner = node("Identity", outputs="y")
    for i in range(depth):
        other = node("Identity", outputs=inner.output[0])
        inner = node("If", "c", f"y{i}", then_branch=branch(inner), else_branch=branch(other))
    inner.output[0] = "y"
    return model(inner, inputs=[value("x"), value("c", [], TensorProto.BOOL)])


def endless():
    """A loop of 2^60 rounds."""
    body = helper.make_graph(
        [node("Identity", "again", "go_on"), node("Identity", "row", "next_row")], "body",
        [value("i", [], TensorProto.INT64), value("again", [], TensorProto.BOOL), value("row")],
        [value("go_on", [], TensorProto.BOOL), value("next_row")],
    )  # fmt: skip
    rounds = [tensor("rounds", np.int64(1 << 60)), tensor("go", np.bool_(True))]
    return model(node("Loop", "rounds go x", body=body), tensors=rounds)


def doubling(functions=30):
    """Functions that call the one before twice: 2 to that power nodes, once they are written out."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]
    made = []
    for i in range(functions):
        operator, domain = ("Relu", "") if i == 0 else (f"F{i - 1}", "f")
        calls = [node(operator, "a", "b", domain=domain), node(operator, "b", "c", domain=domain)]
        made.append(helper.make_function("f", f"F{i}", ["a"], ["c"], calls, opsets))
    last = node(f"F{functions - 1}", domain="f")
    return model(last, functions=made, domains={"": 17, "f": 1})


def terabytes():
    """64 TB of zeros, from a file of some hundred bytes."""
    shape = tensor("shape", np.array([1 << 22, 1 << 22], np.int64))
    return model(
        node("ConstantOfShape", "shape", "z"), node("ReduceSum", "z", "s", keepdims=0), node("Add", "x s"),
        tensors=[shape],
    )  # fmt: skip


def roi_align():
    boxes, rows = tensor("boxes", np.zeros((3, 4), np.float32)), tensor("rows", np.zeros(3, np.int64))
    return model(
        node("RoiAlign", "x boxes rows"), tensors=[boxes, rows], inputs=[value("x", [1, 1, 10, 10])],
        outputs=[value("y", None)],
    )  # fmt: skip
