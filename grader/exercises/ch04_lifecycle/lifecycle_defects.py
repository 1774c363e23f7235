"""lifecycle-defects: a plugin with weights and four defects in its life, to be found and mended.

A group of points for each defect, whose checks look at nothing that the other three spoil: who mends one, in any order,
sees its group turn green. So a copy is looked at where nothing was rebuilt or kept, a context where its plugin was
configured, and so on. What the four have in common, and what a half mend breaks, is asked by rules of plugins once the
four are green. Where something runs, what is compared is what the device holds.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping

import numpy as np

from grader.checks import Check, Finding, failed, passed
from grader.checks.conformance.compare import difference
from grader.checks.conformance.rule import RULES
from grader.checks.conformance.run import run_rules
from grader.exercises.plugin import PluginPlan, asked
from grader.exercises.plugin_bench import PluginBench
from grader.plugin import life
from grader.plugin.arguments import attribute_fields
from grader.plugin.execute import POISON, Case, Run, Runner
from grader.plugin.life import LifeProblem, Stored
from grader.plugin.objects import Plugin
from grader.plugin.session import RUNTIME, PluginEnded
from grader.verdict import State

FP32, FP16 = 0, 1  # the spec's combinations
_FOUR = ("copies", "contexts-own", "contexts-apart", "plan", "rebuilt")
_RULES = (
    "clone-equal", "clone-independent", "serialize-lifetime", "serialize-stable", "serialize-complete", "attach",
    "no-allocation", "contexts", "leaks", "values", "values-zero",
)  # fmt: skip
_OF_ITS_OWN = {"serialize-lifetime": "list-was-copied", "leaks": "free-less", "no-allocation": "upload-each-time"}
_found: weakref.WeakKeyDictionary[PluginBench, dict] = weakref.WeakKeyDictionary()


def _drawn(bench, rng) -> dict[str, tuple[float, ...]]:
    """Weights and biases that no two channels, and no two draws, have alike."""
    return {each.name: tuple(float(np.float32(x)) for x in rng.uniform(1, 4, 3)) for each in bench.spec.attributes}


def _runner(bench, plugin: Plugin, stored: Stored) -> Runner:
    device = bench.device_of(plugin.session)
    device.order("eager")
    return Runner(device, bench.spec, stored.shapes, stored.workspace)


def _run(bench, plugin: Plugin, stored: Stored, case: Case, **how) -> Run:
    """The plugin itself, not one that it attaches."""
    return _runner(bench, plugin, stored).run(plugin, case, poison=POISON, **how)


def _wrong(bench, case: Case, run: Run, attributes: Mapping[str, tuple[float, ...]]) -> str | None:
    """What is wrong with a run, for these attributes, as half a sentence."""
    if run.fault is not None:
        return run.fault.sentence.rstrip(".")
    if not run.well:
        return f"{'onShapeChange' if run.shape_status else 'enqueue'}() returned {run.shape_status or run.status}"
    [right] = bench.expected(case, attributes)
    problem = difference(bench.spec, bench.spec.outputs[0], case.combination.types[1], run.outputs[0], right)
    return f"y {problem}" if problem else None


def _copies(bench, rng) -> Finding:
    """A clone of a fresh plugin and one of a plugin that has run, once their originals are gone."""
    bench = bench.conformance
    values, case = _drawn(bench, rng), bench.case(rng)
    for has_run in (False, True):
        told = "a plugin that has run" if has_run else "a new plugin"
        session = bench.fresh()
        original = bench.plugin(session, values)
        stored = life.build(original, bench.spec)
        if has_run and (problem := _wrong(bench, case, _run(bench, original, stored, case), values)):
            return failed(f"The plugin itself, before anything is cloned, does not compute what it should: {problem}.")
        clone = original.clone()
        if clone is None:
            return failed("clone() returns null.")
        if clone.address == original.address:
            return failed("clone() returns the object itself: TensorRT destroys both, so it must make a new one.")
        if not has_run and (problem := _wrong(bench, case, _run(bench, clone, stored, case), values)):
            return failed(f"A clone of {told} does not compute what its original does: {problem}. Does it have all?")
        if not has_run:
            clone = original.clone()  # one that has made nothing for itself yet
        original.end()
        try:
            problem = _wrong(bench, case, _run(bench, clone, stored, case), values)
            if problem is None:
                clone.end()
        except PluginEnded as ended:
            problem = ended.words.sentence.rstrip(".")
        if problem:
            return failed(
                f"{told.capitalize()} is cloned and destroyed; then its clone does not work any more: {problem}. Who "
                f"owns the memory that the clone uses?"
            )
    return passed()


def _two_contexts(bench, rng):
    """A plugin that was configured, as in a build, and the plugins of two contexts of it; what it was made with."""
    values = _drawn(bench, rng)
    plugin = bench.plugin(bench.fresh(), values)
    stored = life.build(plugin, bench.spec)
    plugin.set_tactic(stored.tactic)
    return plugin, [plugin.attach(), plugin.attach()], stored, values


def _contexts_own(bench, rng) -> Finding:
    bench = bench.conformance
    plugin, both, stored, values = _two_contexts(bench, rng)
    if None in both:
        return failed("attachToContext() returns null.")
    if plugin.address in [each.address for each in both]:
        return failed(
            "attachToContext() returns the plugin that it is called on. So the engine and two contexts have one object "
            "among them, and each of the three will destroy it."
        )
    if both[0].address == both[1].address:
        return failed("attachToContext() returns one and the same object to two contexts.")
    for context in both:
        case = bench.case(rng)
        if problem := _wrong(bench, case, _run(bench, context, stored, case), values):
            return failed(f"The plugin of a context does not compute what the plugin does: {problem}.", case=case.name)
    return passed()


def _contexts_apart(bench, rng) -> Finding:
    """Each is told its shapes once; then they take turns, as in two threads."""
    bench = bench.conformance
    _, both, stored, values = _two_contexts(bench, rng)
    cases = [bench.case(rng, "max"), bench.case(rng, {"N": 2, "L": 7})]
    for context, case in zip(both, cases, strict=True):
        if problem := _wrong(bench, case, _run(bench, context, stored, case), values):
            return failed(f"The plugin of a context does not compute what the plugin does: {problem}.", case=case.name)
    problem = _wrong(bench, cases[0], _run(bench, both[0], stored, cases[0], shape_change=False), values)
    if problem is None:
        return passed()
    return failed(
        f"Context 1 runs with {cases[0].name}, context 2 with {cases[1].name}, then context 1 again with its own "
        f"shapes, which did not change: {problem}. What do the two have in common?"
    )


def _plan(bench, rng) -> Finding:
    """What is in the lists, when they are read later; nothing here was cloned, attached or rebuilt."""
    bench = bench.conformance
    session = bench.fresh()
    values, others = _drawn(bench, rng), _drawn(bench, rng)
    plugin, another = bench.plugin(session, values), bench.plugin(session, others)
    stored = life.build(plugin, bench.spec)
    if problem := _kept_wrong(stored.fields, values):
        return failed(
            f"When getFieldsToSerialize() has returned, {problem}. How long does the memory live that it points to?"
        )
    another.serialized()
    if problem := _kept_wrong(plugin.serialized_before(), values):
        return failed(f"When another plugin was asked for its fields too, {problem} in those of the first.")
    case = bench.case(rng)
    rebuilt = _rebuilt(bench, stored.fields)
    if problem := _wrong(bench, case, _run(bench, rebuilt, stored, case), values):
        return failed(f"Made from its fields in a new process, the plugin does not compute what it did: {problem}.")
    return passed()


def _kept_wrong(fields, values: Mapping[str, tuple[float, ...]]) -> str | None:
    kept = {each.name: each for each in fields or ()}
    for name, right in values.items():
        if name not in kept:
            return f"there is no field {name!r}"
        data = kept[name].data or b""
        found = np.frombuffer(data[: len(data) // 4 * 4], "<f4")
        if tuple(found.tolist()) != right:
            shown = ", ".join(f"{x:.4g}" for x in found[:3])
            return f"the field {name!r} holds [{shown}] instead of [{', '.join(f'{x:.4g}' for x in right)}]"
    return None


def _rebuilt(bench, fields) -> Plugin:
    """The plugin as an engine makes it from a plan, in a process of its own."""
    session = bench.fresh()
    plugin = session.create(life.find_creator(session, bench.spec), fields, RUNTIME)
    if plugin is None:
        raise LifeProblem("revive", "createPlugin() with kRUNTIME returned null for what the plugin had serialized.")
    plugin.set_tactic(0)
    return plugin


def _rebuilt_runs(bench, rng) -> Finding:
    """Made from right fields, whatever getFieldsToSerialize() says of the weights, and run by itself."""
    bench = bench.conformance
    values = _drawn(bench, rng)
    for which in (FP16, FP32):
        combination = bench.spec.combinations()[which]
        stored = bench.stored(combination)
        mine = attribute_fields(bench.spec, values)
        more = [each for each in stored.fields or () if each.name not in values]
        case = bench.case(rng, combination=combination)
        if problem := _wrong(bench, case, _run(bench, _rebuilt(bench, [*mine, *more]), stored, case), values):
            kind = case.combination.types[0]
            return failed(
                f"Built for {kind} and made from its plan in a new process, the plugin does not compute in {kind}: "
                f"{problem}. Nobody calls configurePlugin() there: what does it not know?"
            )
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


PLAN = PluginPlan(
    package=__package__, spec="channel_affine.toml", group="whole",
    supplied=("channel_affine_kernel.cu", "channel_affine_kernel.h"),
    rules=asked("capabilities", group="whole"),
    checks=(
        Check(
            id="copies", misconception="copy-copies-pointers", group="copies", run=_copies, seeded=True,
            source="NvInferPluginBase.h 10.14, IPluginV3::clone; contract: copies",
            sentence="A clone computes what its original did, when the original is destroyed.",
        ),
        Check(
            id="contexts-own", misconception="nothing-to-copy", group="contexts", run=_contexts_own, seeded=True,
            source="NvInferRuntime.h 10.14, IPluginV3OneRuntime::attachToContext; contract: contexts",
            sentence="attachToContext() makes a new and whole plugin for each context.",
        ),
        Check(
            id="contexts-apart", misconception="shared-is-copied", group="contexts", run=_contexts_apart, seeded=True,
            needs=("contexts-own",),
            source="NvInferRuntime.h 10.14, IExecutionContext; PaddlePaddle/Paddle#31670; contract: contexts",
            sentence="Two contexts with different shapes take turns, and neither disturbs the other.",
        ),
        Check(
            id="plan", misconception="read-at-once", group="plan", run=_plan, seeded=True,
            source="NvInferRuntime.h 10.14, IPluginV3OneRuntime::getFieldsToSerialize; contract: plan",
            sentence="The fields of a plan hold weights and bias, whenever they are read.",
        ),
        Check(
            id="rebuilt", misconception="configured-before", group="rebuilt", run=_rebuilt_runs, seeded=True,
            source="NvInferRuntime.h 10.14, IPluginV3OneBuild::configurePlugin; NVIDIA/TensorRT#366; contract: rebuilt",
            sentence="Made from a plan in a new process, the plugin computes in FP16 and in FP32.",
        ),
        *map(_check_of, _OF_ITS_OWN),
        Check(
            id="all-else", misconception=None, group="whole", run=_everything, needs=_FOUR,
            source="the rules of plugins: copies, plans, contexts, results",
            sentence="What was right before is right still: copies, plans, contexts, values.",
        ),
    ),
)  # fmt: skip
