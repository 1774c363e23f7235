"""graph-rewrite: models with SkipLayerNormalization nodes of com.microsoft, drawn for each check.

ONNX Runtime runs that operator and NVIDIA's parser does not know it. All models of a check differ from the plain one
(``plain``) in what the check is about, and in nothing else that a wrong answer could stumble over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

OPERATOR, DOMAIN = "SkipLayerNormalization", "com.microsoft"
USUAL_EPSILON = 1e-5  # given in the attribute, and LayerNormalization's own default
IR, OPSETS = 10, (17, 18, 19, 20)  # LayerNormalization exists since opset 17
SIZES = (5, 8, 12, 24)


@dataclass(frozen=True)
class Case:
    """``words`` is what the learner reads: "a model with ..."."""

    words: str
    model: bytes
    feeds: tuple[dict[str, np.ndarray], ...]  # inputs to try, by name
    parsed: bool = True  # whether NVIDIA's parser must accept what comes of it
    half: bool = False
    checked: bool = False  # whether the ONNX checker is asked about what comes of it


class Draft:
    """A model as it grows. All its tensors but weights are (batch, sequence, size)."""

    def __init__(self, rng, *, half=False, free=False, scale=1.0):
        """``free``: batch and sequence have names instead of numbers, and no tensor inside has a shape."""
        from onnx import TensorProto

        self.rng, self.half, self.free, self.scale = rng, half, free, scale
        self.kind, self.dtype = (TensorProto.FLOAT16, np.float16) if half else (TensorProto.FLOAT, np.float32)
        self.size = int(rng.choice(SIZES))
        self.extents = tuple(int(n) for n in rng.integers(2, 6, 2))
        self.nodes, self.weights, self.inputs, self.inside = [], [], [], []
        self._style = ("/encoder/layer.{}/{}", "{1}_{0}", "t{0}")[rng.integers(3)]
        self._first = int(rng.integers(3, 300))

    def name(self, what: str) -> str:
        self._first += int(self.rng.integers(1, 9))
        return self._style.format(self._first, what)

    def shape(self) -> list:
        return [*(("batch", "sequence") if self.free else self.extents), self.size]

    def input(self, shape=None) -> str:
        name = self.name("in")
        self.inputs.append((name, shape or self.shape()))
        return name

    def weight(self, *shape, around=0.0) -> str:
        from onnx import numpy_helper

        array = around + self.rng.normal(0, shape[0] ** -0.5 if len(shape) > 1 else 0.5, shape)
        self.weights.append(numpy_helper.from_array(array.astype(self.dtype), self.name("weight")))
        return self.weights[-1].name

    def node(self, operator, inputs, *, outputs=None, name=None, **attributes) -> str:
        from onnx import helper

        outputs = outputs or [self.name(operator.lower())]
        name = self.name(operator) if name is None else name
        self.nodes.append(helper.make_node(operator, inputs, outputs, name=name, **attributes))
        self.inside += [each for each in outputs if each]
        return outputs[0]

    def step(self, x: str) -> str:
        """One of the layers that stand around."""
        way = self.rng.integers(3)
        if way == 0:
            return self.node("MatMul", [x, self.weight(self.size, self.size)])
        return self.node(("Tanh", "Relu")[way - 1], [x])

    def skip(
        self, x, residual, *, epsilon: float | None = USUAL_EPSILON, beta=True, bias=False, total=False, gamma=None,
        name=None, named="",
    ) -> tuple[str, str]:  # fmt: skip
        """The operator in question; its outputs 0 and 3, the latter only with ``total``.

        ``named``: of "inputs" or "outputs", those missing at the end have an empty name, instead of being left out."""
        inputs = [x, residual, gamma or self.weight(self.size, around=1.0)]
        inputs += [self.weight(self.size) if beta else "", self.weight(self.size) if bias else ""]
        while not inputs[-1] and named != "inputs":
            inputs.pop()
        outputs = [self.name("normalized"), "", "", self.name("added") if total else ""]
        outputs = outputs if total or named == "outputs" else outputs[:1]
        attributes = {} if epsilon is None else {"epsilon": epsilon}
        name = f"SkipLayerNorm_{len(self.nodes)}" if name is None else name
        self.node(OPERATOR, inputs, outputs=outputs, name=name, domain=DOMAIN, **attributes)
        return outputs[0], outputs[-1]

    def case(self, words: str, *outputs: str, parsed=True) -> Case:
        """The model whose outputs these tensors are."""
        from onnx import helper

        def info(name, shape):
            return helper.make_tensor_value_info(name, self.kind, shape)

        inside = [] if self.free else [info(name, self.shape()) for name in self.inside if name not in outputs]
        graph = helper.make_graph(
            self.nodes, "model", [info(*each) for each in self.inputs], [info(name, self.shape()) for name in outputs],
            initializer=self.weights, value_info=inside,
        )  # fmt: skip
        opsets = [helper.make_opsetid("", int(self.rng.choice(OPSETS))), helper.make_opsetid(DOMAIN, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR).SerializeToString()
        feeds = [self.extents, (self.extents[0] + 1, self.extents[1] + 2)] if self.free else [self.extents]
        return Case(words, model, tuple(self._feed(extents) for extents in feeds), parsed, self.half)

    def _feed(self, extents) -> dict[str, np.ndarray]:
        shapes = {name: (*extents, self.size) if len(shape) == 3 else tuple(shape) for name, shape in self.inputs}
        return {name: self.rng.normal(0, self.scale, s).astype(self.dtype) for name, s in shapes.items()}


def _one(words, rng, *, half=False, free=False, scale=1.0, **skip) -> Case:
    """A model with one node in the middle."""
    draft = Draft(rng, half=half, free=free, scale=scale)
    y, _ = draft.skip(draft.step(draft.input()), draft.input(), **skip)
    return draft.case(words, draft.step(y))


def plain(rng) -> list[Case]:
    return [replace(_one("the plain model", rng), checked=True)]


def several(rng) -> list[Case]:
    draft = Draft(rng)
    residual, gamma = draft.input(), draft.weight(draft.size, around=1.0)
    count = int(rng.integers(3, 6))
    x = draft.step(draft.input())
    for i in range(count):
        y, _ = draft.skip(x, residual, gamma=gamma if i % 2 else None)
        x, residual = draft.step(y), y
    return [draft.case(f"a model with {count} of them, one after the other", x)]


def none(rng) -> list[Case]:
    draft = Draft(rng)
    x = draft.step(draft.input())
    return [draft.case("a model without any", draft.node("Add", [draft.step(x), x]))]


def other_names(rng) -> list[Case]:
    cases = []
    names = {"": "a model whose node has no name", f"fused_{rng.integers(99)}": "a model whose node has another name"}
    for name, words in names.items():
        draft = Draft(rng)
        x = draft.node("Relu", [draft.step(draft.input())], name="SkipLayerNormalization_0")
        y, _ = draft.skip(x, draft.input(), name=name)
        cases.append(draft.case(f"{words}, and a Relu that is called SkipLayerNormalization_0", draft.step(y)))
    return cases


def epsilons(rng) -> list[Case]:
    return [
        _one(f"a model with epsilon = {e}", rng, epsilon=e) for e in (0.25, round(float(rng.uniform(0.05, 0.2)), 3))
    ]


def no_epsilon(rng) -> list[Case]:
    words = "a model whose node says nothing of epsilon, and whose rows differ by thousandths"
    return [_one(words, rng, epsilon=None, scale=1e-3)]


def optional_inputs(rng) -> list[Case]:
    return [
        _one("a model with no beta and no bias", rng, beta=False),
        _one("a model with a bias and no beta", rng, beta=False, bias=True),
        _one("a model with beta and bias", rng, bias=True),
        _one("a model in which beta and bias have empty names", rng, beta=False, named="inputs"),
    ]


def sums(rng) -> list[Case]:
    cases = []
    for bias in (False, True):
        draft = Draft(rng)
        y, total = draft.skip(draft.step(draft.input()), draft.input(), total=True, bias=bias)
        words = f"a model that uses output 3, the sum{' with its bias' if bias else ''}"
        cases.append(draft.case(words, draft.node("Add", [draft.step(y), total])))
    return [*cases, _one("a model in which outputs 1 to 3 have empty names", rng, named="outputs")]


def at_the_end(rng) -> list[Case]:
    last = Draft(rng)
    y, _ = last.skip(last.step(last.input()), last.input())
    alone = Draft(rng)
    z, total = alone.skip(alone.input(), alone.input(), total=True)
    return [
        last.case("a model that ends with the node", y),
        alone.case(
            "a model whose outputs are both results of the node, and what is made of one", total, alone.step(z), z
        ),
    ]


def computed(rng) -> list[Case]:
    draft = Draft(rng)
    gamma = draft.input([draft.size])
    scaled = draft.node("Mul", [gamma, draft.weight(draft.size, around=1.0)])
    draft.inside.remove(scaled)  # it is no (batch, sequence, size)
    y, _ = draft.skip(draft.step(draft.input()), draft.input(), gamma=scaled)
    return [draft.case("a model whose gamma is computed by another node", draft.step(y))]


def free(rng) -> list[Case]:
    return [_one("a model of any batch and sequence, in which no tensor inside has a shape", rng, free=True)]


def half(rng) -> list[Case]:
    return [
        _one("an FP16 model", rng, half=True),
        _one("an FP16 model without beta, with a bias", rng, half=True, beta=False, bias=True),
    ]


def bystanders(rng) -> list[Case]:
    norm = Draft(rng)
    y, _ = norm.skip(norm.step(norm.input()), norm.input())
    weights = [norm.weight(norm.size, around=1.0), norm.weight(norm.size)]
    z = norm.node("LayerNormalization", [norm.node("Add", [norm.step(y), y]), *weights], epsilon=0.01)
    simple = Draft(rng)
    y, _ = simple.skip(simple.step(simple.input()), residual := simple.input())
    gamma = simple.weight(simple.size, around=1.0)
    w = simple.node(f"SkipSimplified{OPERATOR[4:]}", [y, residual, gamma], domain=DOMAIN, epsilon=0.01)
    return [
        norm.case("a model that has a LayerNormalization of its own", norm.step(z)),
        simple.case("a model that has a SkipSimplifiedLayerNormalization too", simple.step(w), parsed=False),
    ]


CASES: dict[str, Callable[[np.random.Generator], list[Case]]] = {
    "accepted": plain, "every-node": several, "no-node": none, "by-operator": other_names, "epsilon": epsilons,
    "epsilon-default": no_epsilon, "optional-inputs": optional_inputs, "sum-used": sums, "graph-outputs": at_the_end,
    "computed-weights": computed, "any-shape": free, "half": half, "bystanders": bystanders,
}  # fmt: skip
