"""prelu-plugin: a kernel for three types, one attribute, format negotiation, and enqueue() that goes by the descriptor.

Rules of plugins, and checks of its own that take one question at a time: one type, one slope, one pair of types. Where
something runs, it is rebuilt from its plan in another process, and what is compared is what the device holds.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from grader.checks import Check, Finding, failed, passed
from grader.checks.conformance.compare import difference
from grader.checks.conformance.runs import run_revived
from grader.exercises.plugin import PluginPlan, asked
from grader.plugin import life
from grader.plugin.arguments import at_build
from grader.plugin.execute import Case, Run
from grader.plugin.records import Descriptor
from grader.plugin.session import BUILD, RUNTIME
from grader.plugin.spec_records import Combination
from grader.plugin.types import TYPES, field_type, rounded

FLOATS = ("float32", "float16", "bfloat16")
_OTHERS = ("int8", "int32", "int64", "float8")
_CHANNELS = 5
_IN_CPP = {"float32": "float", "float16": "__half", "bfloat16": "__nv_bfloat16"}


def _advertised(bench, rng) -> Finding:
    bench = bench.conformance
    [field] = [each for each in life.find_creator(bench.session(), bench.spec).fields or () if each.name == "slope"]
    if field.type == TYPES["float32"].field:
        return passed()
    return failed(
        f"getFieldNames() advertises slope as {field_type(field.type) or field.type}; createPlugin() reads float32. "
        "Who builds a network from C++ or Python makes the field that is advertised."
    )


def _required(bench, rng) -> Finding:
    bench = bench.conformance
    session = bench.session()
    creator = life.find_creator(session, bench.spec)
    for phase, words in ((BUILD, "kBUILD"), (RUNTIME, "kRUNTIME")):
        plugin = session.create(creator, [], phase)
        if plugin is not None:
            plugin.end()
            return failed(
                f"Given no field at all, createPlugin() makes a plugin in the phase {words}: slope has no default, so "
                "a network without it was not what somebody meant, and a plan without it is damaged. Return null."
            )
    return passed()


# What is accepted


def _question(bench):
    """A plugin to ask, and the two descriptors of a linear combination of these types."""
    plugin = bench.plugin()
    shapes = life.output_shapes(plugin, bench.spec)

    def rows(x: str, y: str) -> list[Descriptor]:
        combination = Combination((x, x), ("linear", "linear"))
        row_x, row_y = at_build(bench.spec, combination, shapes).all
        return [row_x, dataclasses.replace(row_y, type=TYPES[y].tensor)]

    return plugin, rows


def _one_type(bench, rng) -> Finding:
    bench = bench.conformance
    plugin, rows = _question(bench)
    for x in FLOATS:
        for y in FLOATS:
            taken = plugin.supports(0, rows(x, y), 1) and plugin.supports(1, rows(x, y), 1)
            if taken and x != y:
                return failed(
                    f"supportsFormatCombination() accepts x as {x} together with y as {y}. Both tensors go through one "
                    "kernel for one type: at position 1, compare with what stands at position 0."
                )
            if x == y and not taken:
                return failed(f"supportsFormatCombination() refuses {x} for both tensors, linear.")
    plugin.end()
    return passed()


def _floats_only(bench, rng) -> Finding:
    bench = bench.conformance
    plugin, rows = _question(bench)
    for kind in _OTHERS:
        if plugin.supports(0, rows(kind, kind), 1):
            return failed(
                f"supportsFormatCombination() accepts {kind} for x. There is no kernel for it: name the three types "
                "that you have, and refuse every other, also those that the next version of TensorRT brings."
            )
    plugin.end()
    return passed()


# What is computed


def _combination(kind: str) -> Combination:
    return Combination((kind, kind), ("linear", "linear"))


def _run(bench, case: Case, slope: tuple[float, ...]) -> Run:
    stored = bench.stored(case.combination, {"slope": slope})
    return run_revived(bench, bench.runtime(), stored, case)


def _went_wrong(run: Run) -> str | None:
    if run.fault is not None:
        return run.fault.sentence.rstrip(".")
    return None if run.well else f"enqueue() returned {run.status}"


def _slopes(rng, count: int = _CHANNELS) -> tuple[float, ...]:
    """No two alike, of both signs."""
    drawn = rng.permutation(np.arange(1, count + 1)) + rng.uniform(-0.4, 0.4, count)
    return tuple(float(np.float32(value)) for value in drawn * np.where(np.arange(count) % 2, -0.375, 0.375))


def _as(kind: str):
    def check(bench, rng) -> Finding:
        bench = bench.conformance
        slope = _slopes(rng)
        case = bench.case(rng, combination=_combination(kind))
        run = _run(bench, case, slope)
        problem = _went_wrong(run)
        if problem is None:
            [right] = bench.expected(case, {"slope": slope})
            found = difference(bench.spec, bench.spec.outputs[0], kind, run.outputs[0], right)
            problem = found and f"y {found}"
        if problem is None:
            return passed()
        return failed(
            f"When inputDesc[0].type says {kind}, {problem}. Are both tensors read and written as {_IN_CPP[kind]}?",
            case=case.name,
        )

    return check


def _channel(bench, rng) -> Finding:
    """x is -1 everywhere, so that y is the negative of the slope that was taken."""
    bench = bench.conformance
    slope, case = _slopes(rng), _filled(bench.case(rng, {"N": 2, "H": 3, "W": 7}, _combination("float32")), -1.0)
    run = _run(bench, case, slope)
    if problem := _went_wrong(run):
        return failed(f"For an x of -1 everywhere, {problem}.", case=case.name)
    taken = -np.asarray(run.outputs[0], np.float64)
    right = np.broadcast_to(np.asarray(slope, np.float64).reshape(1, -1, 1, 1), taken.shape)
    wrong = np.argwhere(~np.isclose(taken, right, rtol=1e-6, atol=0))
    if not wrong.size:
        return passed()
    at = tuple(wrong[0].tolist())
    near = int(np.argmin(np.abs(np.asarray(slope) - taken[at])))
    whose = f"the slope of channel {near}" if np.isclose(slope[near], taken[at], rtol=1e-6) else "none of the slopes"
    return failed(
        f"With x = -1 everywhere, y at {list(at)} tells that {taken[at]:.5g} was taken as slope, {whose}; it lies in "
        f"channel {at[1]}, whose slope is {slope[at[1]]:.5g}. How many elements lie from one channel to the next?",
        case=case.name,
    )


def _filled(case: Case, value: float) -> Case:
    [x] = case.inputs
    return dataclasses.replace(case, inputs=(dataclasses.replace(x, values=np.full_like(x.values, value)),))


def _shared(bench, rng) -> Finding:
    bench = bench.conformance
    for kind in FLOATS:
        slope = (_slopes(rng)[1],)
        case = bench.case(rng, combination=_combination(kind))
        run = _run(bench, case, slope)
        if problem := _went_wrong(run):
            return failed(f"Made with one slope for all channels, in {kind}: {problem}.", case=case.name)
        [right] = bench.expected(case, {"slope": slope})
        if problem := difference(bench.spec, bench.spec.outputs[0], kind, run.outputs[0], right):
            return failed(f"Made with one slope, {slope[0]:.4g} for all channels, in {kind}: y {problem}.")
    return passed()


def _rounds_once(bench, rng) -> Finding:
    """Exactly the nearest value of the type, wherever it does not matter how the product was computed in FP32."""
    bench = bench.conformance
    for kind in FLOATS[1:]:
        slope = _slopes(rng)
        case = bench.case(rng, "max", _combination(kind))
        run = _run(bench, case, slope)
        if problem := _went_wrong(run):
            return failed(f"In {kind}, {problem}.", case=case.name)
        x = np.asarray(case.inputs[0].values, np.float64)
        product = np.where(x < 0, np.asarray(slope, np.float64).reshape(1, -1, 1, 1) * x, x)
        right, same = rounded(product, kind), rounded(product.astype(np.float32), kind)
        got = np.asarray(run.outputs[0])
        wrong = np.argwhere((got != right) & (right == same))
        if wrong.size:
            at = tuple(wrong[0].tolist())
            return failed(
                f"In {kind}, {x[at]:.9g} times the slope {slope[at[1]]:.9g} gives {float(got[at])!r}; the nearest "
                f"value that {kind} has is {float(right[at])!r} ({len(wrong)} of {got.size} elements). Keep the slope "
                "and the product in FP32, and round when you write.",
                case=case.name,
            )
    return passed()


_HEADER = "NvInferRuntime.h 10.14, IPluginV3OneBuild::supportsFormatCombination"
PLAN = PluginPlan(
    package=__package__, spec="prelu.toml", group="fields",
    supplied=(
        "prelu_kernel.h", "device_slopes.h", "common/export.h", "common/fields.h", "common/log.h", "common/status.h",
    ),
    rules=(
        *asked(
            "fields-advertised", "fields-null", "fields-unknown", "fields-type", "fields-length", group="fields",
            own={"fields-advertised": "parser-passes-all", "fields-type": "type-is-mine"},
        ),
        *asked(
            "formats-complete", "formats-deterministic", "formats-peek", "formats-bool", "formats-truth",
            group="formats",
            own={
                "formats-complete": "never-yes", "formats-peek": "looks-behind", "formats-truth": "format-is-a-wish",
            },
        ),
        *asked("serialize-complete", group="fields"),
        *asked(
            "values", "values-zero", "shape-change", "inputs-unchanged", group="results",
            own={"values": "greater-of-two"},
        ),
        *asked("status", "stream", "launch-errors", "no-allocation", "no-synchronization", "contexts", group="work",
               own={"stream": "any-stream", "launch-errors": "launched-is-done"}),
    ),
    checks=(
        Check(
            id="advertised-as-read", misconception=None, group="fields", run=_advertised,
            needs=("fields-advertised",), source="contract: fields",
            sentence="getFieldNames() says of slope the type that createPlugin() reads.",
        ),
        Check(
            id="slope-required", misconception="missing-is-a-default", group="fields", run=_required,
            source="contract: no default", sentence="createPlugin() refuses fields in which there is no slope.",
        ),
        Check(
            id="one-type", misconception="each-by-itself", group="formats", run=_one_type,
            source=f"{_HEADER}; contract: formats",
            sentence="x and y have the same type in all that is accepted, and each of the three types is.",
        ),
        Check(
            id="floats-only", misconception="any-type-will-do", group="formats", run=_floats_only,
            needs=("one-type",),
            source=f"{_HEADER}; contract: formats", sentence="Types for which there is no kernel are refused.",
        ),
        *(
            Check(
                id=f"as-{kind}", misconception=belief, group="results", run=_as(kind), seeded=True,
                needs=("formats-complete",),
                source="NvInferRuntime.h 10.14, IPluginV3OneRuntime::enqueue (inputDesc); contract: types",
                sentence=f"Told {kind}, the plugin reads and writes {kind}.",
            )
            for kind, belief in (
                ("float32", None), ("float16", "kernel-knows-the-type"), ("bfloat16", "sixteen-bits-are-half"),
            )
        ),
        Check(
            id="own-channel", misconception="channel-is-last", group="results", run=_channel, seeded=True,
            needs=("formats-complete",),
            source="contract: operator", sentence="Each element meets the slope of its own channel.",
        ),
        Check(
            id="one-for-all", misconception="always-a-list", group="results", run=_shared, seeded=True,
            needs=("formats-complete",),
            source="contract: operator", sentence="A plugin with one slope takes it for every channel.",
        ),
        Check(
            id="rounds-once", misconception="computes-as-stored", group="results", run=_rounds_once, seeded=True,
            needs=("as-float16", "as-bfloat16"), source="contract: precision",
            sentence="FP16 and BF16 are computed in FP32 and rounded once, to the nearest value.",
        ),
    ),
)  # fmt: skip
