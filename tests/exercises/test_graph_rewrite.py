"""Chapter 1, graph-rewrite: the models are what they are said to be, and what is said of answers."""

import sys
import time
import zlib
from pathlib import Path

import numpy as np
import onnx
import pytest

from grader.exercises import check
from grader.exercises.ch01_why_plugins import graph_trial
from grader.exercises.ch01_why_plugins.graph_models import CASES, DOMAIN, IR, OPERATOR, OPSETS
from grader.exercises.ch01_why_plugins.graph_trial import TARGET, _difference
from grader.plugin.onnx_model import read
from grader.plugin.onnx_parser import parse_all
from grader.plugin.onnx_runtime import Runtime, check_model, run_model, run_models
from grader.sandbox import Limits
from grader.verdict import State

sys.path.append(str(Path(__file__).parents[1] / "plugin"))
from onnx_models import endless  # noqa: E402

SOLUTION = Path(__file__).parents[2] / "solutions/01_why_plugins/graph_rewrite.py"
SLUG = "graph-rewrite"


def judge(tmp_path, source, **how):
    return check(SLUG, tmp_path, cells={SLUG: source}, **how)


def cases(seed):
    return [case for id, draw in CASES.items() for case in draw(np.random.default_rng([seed, zlib.crc32(id.encode())]))]


@pytest.mark.parametrize("seed", [0, 1])
def test_onnx_runtime_runs_each_model_and_nvidias_parser_refuses_those_with_the_operator(seed):
    drawn = cases(seed)
    parsed = parse_all([case.model for case in drawn])
    outputs = run_models([(case.model, case.feeds[0]) for case in drawn])
    for case, said, found in zip(drawn, parsed, outputs, strict=True):
        assert all(np.isfinite(values).all() for values in found.values()), case.words
        wanted = read(case.model).operators[TARGET]
        blamed = [error.operator for error in said.errors if error.operator == OPERATOR]
        assert len(blamed) == wanted and said.accepted is (not wanted and case.parsed), case.words
    assert check_model(drawn[0].model) == ""


def one_node(**attributes):
    """y of one node with x alone, on rows that differ by thousandths."""
    node = onnx.helper.make_node(OPERATOR, ["x", "x", "g", "b"], ["y"], domain=DOMAIN, **attributes)
    weights = [
        onnx.numpy_helper.from_array(np.full(4, value, np.float32), name) for name, value in (("g", 1), ("b", 0))
    ]
    ends = [[onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 1, 4])] for name in "xy"]
    graph = onnx.helper.make_graph([node], "one", *ends, weights)
    opsets = [onnx.helper.make_opsetid("", OPSETS[0]), onnx.helper.make_opsetid(DOMAIN, 1)]
    x = np.array([[[1, 2, 3, 4]]], np.float32) / 1000
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=IR)
    return run_model(model, {"x": x})["y"], 2 * x.astype(np.float64)


@pytest.mark.parametrize(("attributes", "epsilon"), [({}, 1e-12), ({"epsilon": 1e-5}, 1e-5), ({"epsilon": 0.1}, 0.1)])
def test_the_formula_and_the_default_of_the_contract_are_onnx_runtimes(attributes, epsilon):
    y, s = one_node(**attributes)
    np.testing.assert_allclose(y, (s - s.mean()) / np.sqrt(s.var() + epsilon), rtol=1e-5, atol=1e-7)


def test_a_model_that_the_parser_refuses_is_told_in_its_own_words(tmp_path):
    verdict = judge(tmp_path, "def rewrite(graph):\n    return graph")
    found = {each.check: each for each in verdict.checks}
    assert found["accepted"].state is State.FAIL and verdict.earned == 0
    assert "Plugin not found" in found["accepted"].message and "In the plain model" in found["accepted"].message
    assert "All nodes are as they were" in found["accepted"].message and found["accepted"].misconception is None
    assert all(each.blocked_by == "accepted" for id, each in found.items() if id not in ("defines", "accepted"))


@pytest.mark.parametrize(
    ("source", "state", "words"),
    [
        (
            "def rewrite(graph):\n    return 1 / 0",
            State.ERROR,
            "ZeroDivisionError: division by zero (line 2 of the cell)",
        ),
        ("def rewrite(graph):\n    return 7", State.ERROR, "must return the graph, not a value of type int"),
        ("def rewrite(graph):\n    graph.nodes.clear()", State.FAIL, "In the plain model"),
        ("def rewrite(graph):\n    import os\n    os._exit(3)", State.ERROR, "ended its Python process"),
        ("def rewrite(graph):\n    graph.outputs.clear()\n    graph.cleanup()", State.FAIL, "outputs were"),
    ],
)
def test_what_goes_wrong_is_a_sentence(tmp_path, source, state, words):
    accepted = judge(tmp_path, source).checks[1]
    assert accepted.check == "accepted" and accepted.state is state and words in accepted.message
    assert accepted.misconception is None  # the old node does not stand there beside others


def test_one_model_that_ends_the_process_does_not_fail_the_others(tmp_path):
    source = SOLUTION.read_text().replace(
        "    for node in fused:", "    fused or __import__('os')._exit(1)\n    for node in fused:"
    )
    verdict = judge(tmp_path, source)
    wrong = [each.check for each in verdict.checks if each.state is not State.PASS]
    assert wrong == ["no-node"]


def test_values_that_are_no_numbers_differ():
    y = np.ones((2, 2), np.float32)
    assert _difference("y", y, y, 1e-4) == ""
    nan = np.array([[1, np.nan], [1, 1]], np.float32)
    assert "at (0, 1) was 1 and is nan" in _difference("y", nan, y, 1e-4)
    assert "float16" in _difference("y", y.astype(np.float16), y, 1e-4)
    assert "(4,)" in _difference("y", y.ravel(), y, 1e-4)


def test_models_that_never_end_are_tried_twice_at_most(tmp_path, monkeypatch):
    source = f"""import onnx, onnx_graphsurgeon as gs
def rewrite(graph):
    return gs.import_onnx(onnx.load_from_string({endless()!r}))
"""
    asked = []

    class Short(Runtime):
        def __init__(self):
            super().__init__(Limits(wall_seconds=3))

        def run(self, model, inputs):
            asked.append(model)
            return super().run(model, {"x": np.zeros((1, 4), np.float32)} if b"rounds" in model else inputs)

    monkeypatch.setattr(graph_trial, "Runtime", Short)
    started = time.monotonic()
    verdict = judge(tmp_path, source)
    assert verdict.earned == 0 and sum(b"rounds" in model for model in asked) <= 2
    assert time.monotonic() - started < 60
