"""ONNX Runtime and the ONNX checker in their child: what a model computes, and what ends them."""

import numpy as np
import pytest
from onnx_models import endless, external, model, nested, node, proto, tensor, terabytes, value

from grader.plugin import onnx_runtime
from grader.plugin.onnx_runtime import ModelFailed, check_model, run_model, run_models
from grader.sandbox import Limits, confinement
from grader.verdict import State

X = np.array([[-1, 0, 2, 3]], np.float32)
RELU = model(node("Relu"))


def test_the_outputs_come_by_name():
    both = proto(node("Relu"), node("Neg", "x", "z"), outputs=[value("y"), value("z")])
    outputs = run_model(both, {"x": X})
    assert list(outputs) == ["y", "z"]
    assert (outputs["y"] == np.maximum(X, 0)).all() and (outputs["z"] == -X).all()


def test_many_models_run_in_one_child_and_one_that_fails_takes_nothing_with_it():
    first, second, third = run_models([(RELU, {"x": X}), (RELU, {"wrong": X}), (RELU, {"x": X})])
    assert (first["y"] == third["y"]).all()
    assert isinstance(second, ModelFailed) and second.state is State.FAIL and "wrong" in second.sentence


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (model(node("FancyAct", domain="com.example")), "FancyAct"),
        (model(node("Add", "x w"), tensors=[external()]), "another file"),
        (b"junk", "no ONNX model"),
        (terabytes(), "allocate"),
        (nested(13), "12 deep"),
    ],
)
def test_what_does_not_run_is_a_sentence(bad, words):
    with pytest.raises(ModelFailed) as caught:
        run_model(bad, {"x": X})
    assert words in caught.value.sentence


def test_what_never_ends_is_ended():
    first, second = run_models([(endless(), {"x": X}), (RELU, {"x": X})], limits=Limits(wall_seconds=3))
    assert first.state is State.TIMEOUT and "stopped after 3 seconds" in first.sentence and "y" in second


def test_memory_is_bounded():
    shape = tensor("shape", np.array([1 << 14, 1 << 14], np.int64))  # 1 GB
    zeros = tensor("one", np.ones(1, np.float32))
    large = model(node("Expand", "one shape", "z"), node("ReduceSum", "z", "s", keepdims=0), node("Add", "x s"),
                  tensors=[shape, zeros])  # fmt: skip
    with pytest.raises(ModelFailed) as caught:
        run_model(large, {"x": X}, limits=Limits(memory_bytes=500 << 20))
    assert caught.value.state is State.OUT_OF_MEMORY


def test_the_checkers_verdict():
    assert check_model(RELU) == ""
    assert "FancyAct" in check_model(model(node("FancyAct")))
    assert check_model(model(node("FancyAct", domain="com.example"))) == ""
    assert "lost" in check_model(model(node("Relu", "lost")))


def test_without_the_plugin_lane_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr(onnx_runtime, "MODULES", ("no_such_module",))
    with pytest.raises(ModelFailed, match="not installed here") as caught:
        run_model(RELU, {"x": X})
    assert caught.value.state is State.UNSUPPORTED_HERE


@pytest.mark.parametrize("kind", confinement.KINDS)
def test_it_works_where_children_are_confined(kind):
    if not confinement.probe(kind).works:
        pytest.skip(f"no {kind} here")
    confinement.use(kind)
    try:
        outputs = run_model(RELU, {"x": X})
    finally:
        confinement.use(None)
    assert (outputs["y"] == np.maximum(X, 0)).all()
