"""The models behind the log cards of chapter 1, and the logs that NVIDIA's parser and builder write about them.

`python tests/exercises/why_models.py [CARD...]` prints the text of each card as it is made; `test_why_plugins.py`
compares it with what the chapter shows. Each model goes through TensorRT-RTX in a process of its own (`log_of`).
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, HALF, INT32, BOOL = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT32, TensorProto.BOOL
Model = bytes

# Left out of a card: what describes the file and the bookkeeping, and what only a machine without a GPU adds.
_LEFT_OUT = re.compile(
    r"^\[I\] (-+$|ONNX IR version|Opset version|Producer|Domain:|Model version|Doc string)"
    r"|^\[V\] (Registering|Searching for input|Importing initializer|Adding network input|Marking|Compiler backend)"
    r"|inputs: \[|outputs: \[|cudaError 35|CUDA driver version"
)


def tensor(name: str, shape, kind: int = FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name: str, values) -> TensorProto:
    return numpy_helper.from_array(np.asarray(values), name)


def model(nodes, inputs, outputs, constants=(), *, opset: int = 17, domains=(), functions=()) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "model", inputs, outputs, list(constants))
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=list(functions))


def node(kind: str, inputs: str, outputs: str, name: str, **attributes):
    """`inputs` and `outputs` by blanks."""
    return helper.make_node(kind, inputs.split(), outputs.split(), name=name, **attributes)


def voxel():
    encode = node("VoxelFeatureEncoder", "near", "y", "encode", voxel_size=0.2)
    return model([node("Clip", "points low high", "near", "crop"), encode],
                 [tensor("points", [1000, 4])], [tensor("y", None)],
                 [constant("low", np.float32(-50)), constant("high", np.float32(50))])  # fmt: skip


def roi():
    options = {"output_height": 7, "output_width": 7, "sampling_ratio": 2, "spatial_scale": 0.25, "mode": 1}
    align = node("ROIAlign_TRT", "features boxes image", "y", "pool_boxes", plugin_version="3", **options)
    inputs = [tensor("features", [1, 8, 32, 32]), tensor("boxes", [4, 4]), tensor("image", [4], INT32)]
    return model([align], inputs, [tensor("y", None)])


def skip():
    fused = node("SkipLayerNormalization", "x residual gamma beta", "y", "SkipLayerNorm_0", domain="com.microsoft")
    return model([node("Relu", "hidden", "x", "act"), fused],
                 [tensor("hidden", [1, 16, 64]), tensor("residual", [1, 16, 64])], [tensor("y", None)],
                 [constant("gamma", np.ones(64, np.float32)), constant("beta", np.zeros(64, np.float32))],
                 domains=["com.microsoft"])  # fmt: skip


def antialias():
    shrink = helper.make_node("Resize", ["image", "", "scales"], ["y"], name="shrink", mode="linear", antialias=1)
    return model([shrink], [tensor("image", [1, 3, 64, 64])], [tensor("y", None)],
                 [constant("scales", np.array([1, 1, 0.5, 0.5], np.float32))], opset=18)  # fmt: skip


def training():
    norm = node("BatchNormalization", "x scale bias mean var", "y mean_out var_out", "bn1", training_mode=1)
    constants = [constant(name, np.ones(8, np.float32)) for name in ("scale", "bias", "mean", "var")]
    return model([norm], [tensor("x", [4, 8, 16, 16])],
                 [tensor("y", None), tensor("mean_out", None), tensor("var_out", None)], constants)  # fmt: skip


def types():
    nodes = [node("Cast", "logits", "half", "to_fp16", to=HALF), node("Add", "half bias", "y", "add_bias")]
    return model(nodes, [tensor("logits", [8, 10])], [tensor("y", None)], [constant("bias", np.zeros(10, np.float32))])


def reshape():
    nodes = [node("Relu", "features", "active", "act"), node("Reshape", "active shape", "y", "flatten")]
    return model(nodes, [tensor("features", [4, 16, 7, 7])], [tensor("y", None)],
                 [constant("shape", np.array([1, 784], np.int64))])  # fmt: skip


def weights():
    whole = model([node("MatMul", "x kernel", "y", "fc1")], [tensor("x", [1, 256])], [tensor("y", None)],
                  [constant("kernel", np.ones((256, 256), np.float32))])  # fmt: skip
    kernel = whole.graph.initializer[0]
    kernel.ClearField("raw_data")
    kernel.data_location = TensorProto.EXTERNAL
    kernel.external_data.add(key="location", value="encoder.onnx.data")
    return whole


def profile():
    return model([node("Relu", "x", "y", "act")], [tensor("x", ["batch", 3, 224, 224])], [tensor("y", None)])


def branch():
    keep = helper.make_graph([node("Identity", "ids", "kept", "keep_all")], "then", [], [tensor("kept", None)])
    drop = helper.make_graph([node("Unique", "ids", "distinct", "drop_repeats")], "else", [],
                             [tensor("distinct", None)])  # fmt: skip
    choose = node("If", "trust", "y", "choose", then_branch=keep, else_branch=drop)
    return model([choose], [tensor("trust", [], BOOL), tensor("ids", [64])], [tensor("y", None)])


MODELS: dict[str, Callable[[], onnx.ModelProto]] = {
    each.__name__: each for each in (voxel, roi, skip, antialias, training, types, reshape, weights, profile, branch)
}


def log_of(serialized: Model, *, build: bool = False) -> list[str]:
    """All that TensorRT-RTX's ONNX parser, and with ``build`` its builder, log about a model: "[E] text", by line."""
    ran = subprocess.run(
        [sys.executable, "-I", __file__, "--child", "build" if build else "parse"], input=serialized,
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    return ran.stdout.decode().splitlines()


def card_text(name: str) -> str:
    """The text of a card, as it is made on this machine."""
    lines = log_of(MODELS[name]().SerializeToString(), build=name == "profile")
    return "\n".join(line.rstrip() for line in lines if not _LEFT_OUT.search(line))


def _child(build: bool) -> None:
    import tensorrt_rtx_bindings as trt

    class Lines(trt.ILogger):
        def __init__(self):
            trt.ILogger.__init__(self)

        def log(self, severity, text):
            print(f"[{severity.name[0]}] {text}", flush=True)

    logger = Lines()
    builder = trt.Builder(logger)
    network = builder.create_network()
    parser = trt.OnnxParser(network, logger)
    parsed = parser.parse(sys.stdin.buffer.read())
    print(f"parse() returned {parsed}, {parser.num_errors} errors")
    if parsed and build:
        engine = builder.build_serialized_network(network, builder.create_builder_config())
        print("build_serialized_network() returned " + ("None" if engine is None else "an engine"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        _child(sys.argv[2] == "build")
    else:
        for each in sys.argv[1:] or MODELS:
            print(f"--- {each}\n{card_text(each)}")
