"""NVIDIA's real ONNX parser and builder in their child: what they say, what ends them, what never reaches them."""

import subprocess
import sys
import time

import pytest
from onnx_models import branch, doubling, external, model, nested, node, proto, roi_align, tensor, terabytes, value

from grader.plugin import onnx_parser, onnx_parser_child
from grader.plugin.onnx_model import DEEPEST, LARGEST_MODEL, MOST_NODES, read
from grader.plugin.onnx_parser import parse, parse_all
from grader.sandbox import Limits, confinement
from grader.verdict import State

RELU = model(node("Relu"))
UNKNOWN = model(node("Relu", "x", "r"), node("FancyAct", "r", "y", name="act", domain="com.example"))
NOT_FOUND = 'creator && "Plugin not found, are the plugin name, version, and namespace correct?"'


def test_an_unknown_operator_has_the_parsers_own_error_and_log():
    parsed = parse(UNKNOWN)
    assert parsed.state is State.FAIL and not parsed.accepted and parsed.version
    (error,) = parsed.errors
    assert (error.code, error.text, error.node, error.name, error.operator) == (
        "INVALID_NODE", NOT_FOUND, 1, "act", "FancyAct",
    )  # fmt: skip
    assert error.function == "checkFallbackPluginImporter" and NOT_FOUND in parsed.sentence
    searches = [line for line in parsed.lines("INFO") if "pluginName: FancyAct" in line]
    assert [line.rpartition("pluginNamespace: ")[2] for line in searches] == ["", "com.example"]
    assert NOT_FOUND in parsed.lines("ERROR")[-1] and len(parsed.lines("VERBOSE")) > len(parsed.lines("INFO"))
    assert "refused by NVIDIA's ONNX parser" in repr(parsed) and "node 1, act [FancyAct]" in repr(parsed)


def test_all_nodes_are_checked_before_the_parser_gives_up():
    parsed = parse(model(node("Fancy", "x", "a"), node("Det", "a", "b"), node("Relu", "b", "c"), node("Odd", "c")))
    assert [(error.node, error.operator) for error in parsed.errors] == [(0, "Fancy"), (1, "Det"), (3, "Odd")]
    assert parsed.errors[1].code == "UNSUPPORTED_NODE" and parsed.errors[1].text == "false"


def test_a_model_is_accepted_and_built_without_a_gpu():
    parsed = parse(proto(node("Relu")), build=True)
    assert parsed.state is State.PASS and parsed.accepted and len(parsed.engine) > 10_000
    assert [(t.name, t.dtype, t.shape) for t in (*parsed.inputs, *parsed.outputs)] == [
        ("x", "FLOAT", (1, 4)), ("y", "FLOAT", (1, 4)),
    ]  # fmt: skip
    assert "accepted" in repr(parsed) and "engine of" in parsed._repr_html_()


def test_an_unknown_extent_needs_a_profile_to_be_built():
    rows = model(node("Relu"), inputs=[value("x", ["N", 4])], outputs=[value("y", ["N", 4])])
    without = parse(rows, build=True)
    assert without.accepted and without.state is State.FAIL and "no optimization profile" in without.sentence
    assert without.inputs[0].shape == (-1, 4)
    assert parse(rows, build=True, profile={"x": ((1, 4), (2, 4), (8, 4))}).state is State.PASS
    wrong = parse(rows, build=True, profile={"x": ((4, 4), (2, 4), (1, 4))})
    assert wrong.state in (State.ERROR, State.FAIL) and wrong.sentence


@pytest.mark.parametrize("damaged", [b"junk", UNKNOWN[:50], b"\x0b" + UNKNOWN])
def test_what_the_parser_says_of_a_damaged_file_is_told(damaged):
    parsed = parse(damaged)
    assert parsed.state is State.FAIL and parsed.errors[0].code == "MODEL_DESERIALIZE_FAILED"


def test_what_the_parser_would_take_though_it_is_no_model_is_not_accepted():
    assert parse(b"").state is State.ERROR and "no graph" in parse(b"").sentence
    graphless = b"\x08\x0a"  # ir_version 10
    parsed = parse(graphless)
    assert parsed.state is State.ERROR and not parsed.accepted and "no graph" in parsed.sentence


BLOB = node("Constant", "", "w", value=external())
FILES = {
    "initializer": model(node("Add", "x w"), tensors=[external()]),
    "attribute": model(BLOB, node("Add", "x w")),
    "branch": model(node("If", "c", then_branch=branch(BLOB), else_branch=branch(node("Identity", "x", "w")))),
}


@pytest.mark.parametrize("where", FILES)
def test_data_in_other_files_is_refused_before_the_parser_sees_it(where):
    parsed = parse(FILES[where])
    assert (
        parsed.state is State.ERROR
        and not parsed.errors
        and "data of w is to come from another file" in parsed.sentence
    )


def test_what_is_too_large_or_too_deep_is_refused_before_the_parser_sees_it():
    assert parse(bytes(LARGEST_MODEL + 1)).sentence == "The model has 64 MB; at most 64 MB are taken."
    assert "more than 12 deep" in parse(nested(DEEPEST + 1)).sentence
    assert parse(nested(3)).accepted
    many = [node("Relu", f"t{i}", f"t{i + 1}") for i in range(MOST_NODES + 1)]
    parsed = parse(model(*many, inputs=[value("t0")], outputs=[value(f"t{MOST_NODES + 1}")]))
    assert parsed.state is State.ERROR and "more than 20,000 nodes" in parsed.sentence


@pytest.mark.parametrize("piece", [b"\x10\x01", b"\x3a\x00", b"\x3a\x02\x2a\x00"])  # numbers, graphs, tensors
def test_a_model_in_millions_of_pieces_takes_seconds_to_refuse(piece):
    started = time.process_time()
    parsed = parse(RELU + piece * ((16 << 20) // len(piece)))
    assert parsed.state is State.ERROR and "too many pieces" in parsed.sentence and time.process_time() - started < 20


def test_a_tensor_without_its_bytes_is_refused_by_the_parser_and_takes_no_memory():
    huge = tensor("w", [0.0])
    huge.dims[:] = [1 << 20, 1 << 20]
    parsed = parse(model(node("Add", "x w"), tensors=[huge]), limits=Limits(memory_bytes=600 << 20))
    assert parsed.state is State.FAIL and parsed.errors[0].code == "INVALID_GRAPH"


def test_what_never_ends_is_ended():
    parsed = parse(doubling(), limits=Limits(wall_seconds=3))
    assert parsed.state is State.TIMEOUT and "was stopped after 3 seconds" in parsed.sentence
    first, second = parse_all([doubling(), RELU], limits=Limits(wall_seconds=3))
    assert first.state is State.TIMEOUT and second.accepted


def test_memory_is_bounded_where_the_builder_makes_terabytes():
    parsed = parse(terabytes(), build=True, limits=Limits(wall_seconds=20, memory_bytes=1 << 30))
    assert parsed.state in (State.PASS, State.FAIL, State.OUT_OF_MEMORY, State.TIMEOUT)


def test_each_model_is_parsed_in_a_process_of_its_own():
    """A second RoiAlign in the process of the first ends it."""
    for parsed in parse_all([roi_align(), roi_align(), roi_align()]):
        assert parsed.state is State.FAIL and "ROIAlign plugin was not found" in parsed.sentence
        assert any("CUDA" in line for line in parsed.lines("ERROR"))


REGISTERED = """
import sys
import tensorrt_rtx_bindings as trt

class Plugin(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    def __init__(self):
        for base in Plugin.__bases__:
            base.__init__(self)
        self.num_outputs, self.plugin_name, self.plugin_version, self.plugin_namespace = 1, "FancyAct", "1", ""
    def get_capability_interface(self, kind):
        return self

class Creator(trt.IPluginCreatorV3One):
    def __init__(self):
        trt.IPluginCreatorV3One.__init__(self)
        self.name, self.plugin_version, self.plugin_namespace = "FancyAct", "1", ""
        self.field_names = trt.PluginFieldCollection([])
    def create_plugin(self, name, fields, phase):
        print("created", flush=True)
        return Plugin()

logger, creator = trt.Logger(), Creator()
trt.get_plugin_registry().register_creator(creator, "")
network = trt.Builder(logger).create_network(0)
trt.OnnxParser(network, logger).parse(sys.stdin.buffer.read())
"""


def test_a_registered_creator_ends_the_process_of_the_parser():
    """Which is why none is ever registered in the child. NVIDIA says that TensorRT-RTX takes no plugins of others."""
    ran = subprocess.run([sys.executable, "-c", REGISTERED], input=UNKNOWN, capture_output=True, timeout=60)
    assert ran.returncode == -6 and b"created" in ran.stdout and b"terminate called" in ran.stderr


class Ends:
    """Stands for the library where it ends the process in the middle of a model."""

    __version__ = "0"

    class ILogger:
        pass

    def Builder(log):  # noqa: N805
        class Severity:
            name = "ERROR"

        log.log(Severity, "the last words")
        import os

        os.kill(os.getpid(), 9)


def test_a_process_that_ended_is_a_sentence_and_its_log_is_kept():
    reply, engine = onnx_parser_child._apart(Ends, {}, RELU)
    parsed = onnx_parser._parsed(reply, engine, {"build": False}, None, None)
    assert parsed.state is State.CRASH and parsed.lines() == ["[ERROR] the last words"]
    assert "ended its process (SIGKILL)" in parsed.sentence and "the last words" in parsed.sentence
    assert "ended its process (SIGKILL)" in repr(parsed)


def test_without_the_plugin_lane_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr(onnx_parser, "MODULES", ("no_such_module",))
    parsed = parse(RELU)
    assert parsed.state is State.UNSUPPORTED_HERE and "not installed here" in parsed.sentence
    assert parsed.summary.nodes == 1 and "not installed here" in repr(parsed)


def test_a_name_in_a_model_is_no_html():
    assert "<script>" not in parse(model(node("Odd", name="<script>")))._repr_html_()


@pytest.mark.parametrize("kind", confinement.KINDS)
def test_it_works_where_children_are_confined(kind):
    if not confinement.probe(kind).works:
        pytest.skip(f"no {kind} here")
    confinement.use(kind)
    try:
        refused, built = parse_all([UNKNOWN, RELU], build=True)
    finally:
        confinement.use(None)
    assert refused.errors[0].text == NOT_FOUND and built.engine


def test_a_summary_counts_operators_with_those_in_branches():
    summary = read(model(node("Relu", "x", "a"), node("Relu", "a", "b"), node("FancyAct", "b", domain="com.example")))
    assert summary.operators == {"Relu": 2, "com.example::FancyAct": 1} and summary.opsets[""] == 17
    assert (summary.inputs, summary.outputs, summary.nodes) == (("x",), ("y",), 3)
    assert repr(summary).startswith("x -> y | Relu x 2, com.example::FancyAct")
    assert read(nested(2)).operators == {"Identity": 3, "If": 2}
