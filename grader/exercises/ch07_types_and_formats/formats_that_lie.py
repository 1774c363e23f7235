"""formats-that-lie: a plugin that is right in linear FP32, and four untruths about types and formats.

A group of points for each, whose checks look at nothing that the other three spoil. What a half mend breaks is asked by
rules of plugins once the four are green.
"""

from __future__ import annotations

import weakref

from grader.checks import Check, Finding, failed, passed
from grader.checks.conformance.compare import difference
from grader.checks.conformance.rule import RULES
from grader.checks.conformance.run import run_rules
from grader.checks.conformance.runs import run_revived
from grader.exercises.plugin import PluginPlan, asked
from grader.exercises.plugin_bench import PluginBench
from grader.plugin import life
from grader.plugin.arguments import at_build
from grader.plugin.layouts import candidates
from grader.plugin.records import Descriptor
from grader.plugin.spec_records import FORMATS, Combination
from grader.plugin.types import TYPES
from grader.verdict import State

_FLOATS = ("float32", "float16", "bfloat16")
_FAST = ("float16", "hwc8")
_FOUR = ("output", "second-input", "layouts", "fast-path", "sixteen-bits")
_RULES = (
    "formats-complete", "formats-deterministic", "formats-peek", "formats-bool", "formats-limit", "formats-truth",
    "output-types", "values", "values-zero", "outputs-written", "shape-change", "stream", "launch-errors",
)  # fmt: skip
_OF_ITS_OWN = {"formats-peek": "looks-behind"}
_found: weakref.WeakKeyDictionary[PluginBench, dict] = weakref.WeakKeyDictionary()


class _Asked:
    """A plugin and what it says to combinations of x, gate and y, each a pair of type and format."""

    def __init__(self, bench):
        self.plugin = bench.plugin()
        self._spec, self._shapes = bench.spec, life.output_shapes(self.plugin, bench.spec)

    def takes(self, x: tuple[str, str], y: tuple[str, str], gate: tuple[str, str] = ("float32", "linear")) -> bool:
        """Position by position; what stands behind is the combination itself."""
        rows = self._rows((x, gate, y))
        return all(self.plugin.supports(position, rows, 2) for position in range(3))

    def _rows(self, pairs) -> list[Descriptor]:
        types, formats = zip(*pairs, strict=True)
        plain = at_build(self._spec, Combination((types[0], "float32", types[0]), ("linear",) * 3), self._shapes)
        return [
            Descriptor(TYPES[kind].tensor, row.dims, FORMATS.index(layout), row.min, row.opt, row.max)
            for row, kind, layout in zip(plain.all, types, formats, strict=True)
        ]


def _output(bench, rng) -> Finding:
    asked_of = _Asked(bench.conformance)
    for x in _FLOATS:
        for y in _FLOATS:
            if x != y and asked_of.takes((x, "linear"), (y, "linear")):
                return failed(
                    f"x as {x} and y as {y} are accepted together, both linear. The kernel writes what it reads: which "
                    "entry of inOut does position 2 have to look at, and for what?"
                )
    asked_of.plugin.end()
    return passed()


def _second_input(bench, rng) -> Finding:
    asked_of = _Asked(bench.conformance)
    for x in _FLOATS:
        if not asked_of.takes((x, "linear"), (x, "linear")):
            return failed(f"x and y as {x} with a gate of float32, all linear, are refused; the contract has them.")
        for gate in ("float16", "bfloat16", "int8", "int32"):
            if asked_of.takes((x, "linear"), (x, "linear"), (gate, "linear")):
                return failed(
                    f"With x as {x}, a gate of {gate} is accepted. run() hands the gate to the kernel as float const*, "
                    "whatever was agreed: which type of gate can it have?"
                )
    asked_of.plugin.end()
    return passed()


def _computes(bench, rng, pair: tuple[str, str]) -> str | None:
    """What is wrong when x and y are of this type and format; nothing of BF16 or of another gate is in it."""
    kind, layout = pair
    combination = Combination((kind, "float32", kind), (layout, "linear", layout))
    case = bench.case(rng, {"N": 2, "C": 19, "H": 3, "W": 5}, combination)
    run = run_revived(bench, bench.runtime(), bench.stored(combination), case)
    if run.fault is not None:
        return run.fault.sentence.rstrip(".")
    if not run.well:
        return f"enqueue() returned {run.status}"
    found = difference(bench.spec, bench.spec.outputs[0], kind, run.outputs[0], bench.expected(case)[0])
    return f"y {found}" if found else None


def _layouts(bench, rng) -> Finding:
    bench = bench.conformance
    asked_of = _Asked(bench)
    for pair in candidates(4):
        if pair[0] not in _FLOATS[:2] or not asked_of.takes(pair, pair):
            continue
        if problem := _computes(bench, rng, pair):
            kind, layout = pair
            return failed(
                f"x and y as {kind} in {layout} are accepted. At N = 2, C = 19, H = 3, W = 5: {problem}. How does "
                f"enqueue() tell the kernel that the tensors lie in {layout}?"
            )
    asked_of.plugin.end()
    return passed()


def _fast_path(bench, rng) -> Finding:
    asked_of = _Asked(bench.conformance)
    taken = asked_of.takes(_FAST, _FAST)
    asked_of.plugin.end()
    return passed() if taken else failed(
        "float16 in hwc8 is refused. The kernel reads and writes it rightly, and FP16 convolutions like to give it: "
        "take away the formats that are not true, not this one."
    )  # fmt: skip


def _sixteen_bits(bench, rng) -> Finding:
    bench = bench.conformance
    asked_of = _Asked(bench)
    pair = ("bfloat16", "linear")
    if not asked_of.takes(pair, pair):
        return failed("bfloat16 is refused; the contract has three types. What it lacks is a way in enqueue().")
    asked_of.plugin.end()
    if problem := _computes(bench, rng, pair):
        return failed(f"With x and y as bfloat16, {problem}. Which branch of enqueue() does bfloat16 take?")
    return passed()


def _results(bench: PluginBench) -> dict:
    if bench not in _found:
        _found[bench] = {each.check: each for each in run_rules(bench.conformance, level="L1", only=_RULES)}
    return _found[bench]


def _rule(id: str):
    def run(bench: PluginBench, rng) -> Finding:
        result = _results(bench)[id]
        if result.blocked_by:
            result = _results(bench).get(result.blocked_by, result)
        return passed() if result.state is State.PASS else failed(result.message, state=result.state)

    return run


def _check_of(id: str) -> Check:
    [rule] = asked(id, group="whole", own={id: _OF_ITS_OWN[id]})
    return Check(
        id=id, misconception=rule.misconception, group="whole", run=_rule(id), needs=_FOUR, source=rule.source,
        sentence=rule.sentence,
    )  # fmt: skip


def _everything(bench: PluginBench, rng) -> Finding:
    """The first rule that fails by itself and has no check of its own here."""
    for id, result in _results(bench).items():
        at_fault = result.blocked_by or id
        if RULES[id].family in ("", "V3") and result.state is not State.PASS and at_fault not in _OF_ITS_OWN:
            return failed(result.message, state=result.state, rule=at_fault)
    return passed()


_HEADER = "NvInferRuntime.h 10.14, IPluginV3OneBuild::supportsFormatCombination"
PLAN = PluginPlan(
    package=__package__, spec="channel_gate.toml", group="whole",
    supplied=("channel_gate_kernel.cu", "channel_gate_kernel.h", "common/export.h", "common/log.h", "common/status.h"),
    rules=asked("capabilities", group="whole"),
    checks=(
        Check(
            id="output", misconception="each-by-itself", group="output", run=_output,
            source=f"{_HEADER}; contract: output", sentence="y has the type of x in all that is accepted.",
        ),
        Check(
            id="second-input", misconception="inputs-are-alike", group="gate", run=_second_input,
            source=f"{_HEADER}; contract: gate", sentence="The gate is accepted in the type as which it is read.",
        ),
        Check(
            id="layouts", misconception="format-is-a-wish", group="layouts", run=_layouts, seeded=True,
            source="NvInferRuntime.h 10.14, TensorFormat; PaddlePaddle/Paddle#58566; contract: formats",
            sentence="In every format that is accepted for FP32 and FP16, y is right.",
        ),
        Check(
            id="fast-path", misconception="narrow-is-true", group="layouts", run=_fast_path,
            source="contract: formats", sentence="FP16 in HWC8, which the kernel can do, is still accepted.",
        ),
        Check(
            id="sixteen-bits", misconception="sixteen-bits-are-half", group="types", run=_sixteen_bits, seeded=True,
            source="NvInferRuntime.h 10.14, IPluginV3OneRuntime::enqueue (inputDesc); contract: types",
            sentence="BF16 is accepted, and computed as BF16.",
        ),
        *map(_check_of, _OF_ITS_OWN),
        Check(
            id="all-else", misconception="mended-in-one-place", group="whole", run=_everything, needs=_FOUR,
            source="the rules of plugins: types, formats, results",
            sentence="Whatever is accepted is computed right, at all extents, from a plan too.",
        ),
    ),
)  # fmt: skip
