"""Clones, and the plugin of an execution context."""

from __future__ import annotations

from typing import Any

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.kept import difference, end_two, kept, kept_now, steady, takes_types
from grader.checks.conformance.rule import rule
from grader.checks.conformance.runs import made_ready, ready_context, run_context, run_directly
from grader.checks.conformance.trials import went_well
from grader.plugin import life
from grader.plugin.execute import Case
from grader.plugin.life import LifeProblem
from grader.plugin.objects import BUILD, CORE, RUNTIME, Plugin
from grader.plugin.session import PluginEnded, Session

_CLONE = "NvInferPluginBase.h 10.14, IPluginV3::clone; NvInferRuntimePlugin.h 10.14, IPluginV2::clone"


def _clone(plugin: Plugin) -> Plugin:
    clone = plugin.clone()
    if clone is None:
        raise LifeProblem("clone", "clone() returned null.")
    return clone


@rule(
    "clone-equal", group="clone",
    sentence="clone() makes another object with the same attributes: it answers and serializes as the original does.",
    belief="A clone is configured later anyway, so it may begin empty.",
    source=_CLONE,
)  # fmt: skip
def clone_equal(bench: Bench, rng) -> Finding:
    steady(bench)
    for changed in ({}, *({each.name: each.other} for each in bench.spec.attributes if each.other is not None)):
        if not takes_types(bench, changed):
            continue  # it cannot be configured with the spec's inputs
        if problem := _unlike(bench, bench.plugin(changed=changed)):
            return failed(problem)
    return passed()


def _unlike(bench: Bench, original: Plugin) -> str | None:
    """How a clone of it is not what it is."""
    clone = original.clone()
    if clone is None:
        return "clone() returns null."
    if clone.address == original.address:
        clone.forget()
        return "clone() returns the object itself: TensorRT destroys both, so it must be a new one."
    mine, theirs = kept(bench, original), kept(bench, clone)
    if mine != theirs:
        return f"Of the clone, {difference(mine, theirs, 'was', 'is')}: clone() must copy every member."
    if differing := _differing(_answers(bench, original), _answers(bench, clone)):
        return f"A clone answers {differing} otherwise than its original: clone() must copy every member."
    if (again := kept(bench, _clone(clone))) != mine:
        return f"Of a clone's clone, {difference(mine, again, 'was', 'is')}."
    return None


def _answers(bench: Bench, plugin: Plugin) -> dict[str, Any]:
    """What a plugin says of itself by method, without what it serializes, and what rules about it look at."""
    says: dict[str, Any] = {"getNbOutputs": plugin.output_count()}
    if plugin.creator.is_v3:
        says["getFormatCombinationLimit"] = plugin.format_limit()
    if bench.spec.tensors:
        stored = life.build(plugin, bench.spec)
        says["getOutputDataTypes"] = stored.combination
        says["getOutputShapes"] = [
            [stored.shapes.text(node) for node in row or ()] for row in stored.shapes.outputs
        ]  # fmt: skip
        says["getWorkspaceSize"] = stored.workspace
        says["getValidTactics"] = stored.tactic
    return says


def _differing(first: dict[str, Any], second: dict[str, Any]) -> str | None:
    return next((method for method in first if first[method] != second[method]), None)


@rule(
    "clone-independent", group="clone", needs=("clone-equal",),
    sentence="A clone has all that it needs: the original may be configured otherwise, run, and destroyed before it.",
    belief="A clone may share its original's pointers, since the original lives as long.",
    source=f"{_CLONE}; NvInferRuntime.h, IPluginCreatorV3One::createPlugin: who created the original deletes it",
)  # fmt: skip
def clone_independent(bench: Bench, rng) -> Finding:
    """What a clone serializes is compared in serialize-lifetime."""
    session = bench.fresh(None)
    original = bench.plugin(session)
    clone = _clone(original)
    before = _answers(bench, clone)
    if bench.spec.tensors:
        life.build(original, bench.spec, bench.spec.combinations()[-1])
    if differing := _differing(before, _answers(bench, clone)):
        return failed(f"A clone answers {differing} otherwise after its original was configured: they share something.")
    original.end()
    if differing := _differing(before, _answers(bench, clone)):
        return failed(f"A clone answers {differing} otherwise once its original is destroyed: it uses its memory.")
    clone.end()
    if bench.kernels and bench.spec.tensors:
        if problem := _runs_otherwise(bench, session, bench.case(rng)):
            return failed(problem)
    original = bench.plugin(session)
    clone = _clone(original)
    clone.end()
    kept(bench, original)
    original.end()
    return passed()


def _runs_otherwise(bench: Bench, session: Session, case: Case) -> str | None:
    """A clone of a plugin that has run and is gone, beside that plugin."""
    original = bench.plugin(session)
    stored = life.build(original, bench.spec, case.combination)
    context = ready_context(original, stored)
    if (another := life.attach(original)).address == context.address:
        raise LifeProblem("attachToContext", "Two contexts are given one and the same plugin object.")
    life.end(another, another)
    expected = run_context(bench, context, stored, case)
    went_well(expected)
    clone = _clone(context)
    life.end(context, original)
    run = run_directly(bench, clone, life.build(clone, bench.spec, case.combination), case)
    if run.well and bench.same(run, expected):
        return None
    return "A clone of a plugin that has run and was destroyed does not compute what the plugin did: they share memory."


@rule(
    "attach", group="clone", needs=("clone-equal",),
    sentence="Each context gets a plugin of its own, complete and with the same attributes.",
    belief="attachToContext() may return the plugin that it is called on.",
    source="NvInferRuntime.h 10.14, IPluginV3OneRuntime::attachToContext: clone the entire IPluginV3 object; "
    "NvInferRuntimePlugin.h 10.14, IPluginV2::clone and IPluginV2Ext::attachToContext",
)  # fmt: skip
def attach(bench: Bench, rng) -> Finding:
    session = bench.fresh()
    plugin = _runtime_plugin(bench, session)
    first, second = life.attach(plugin), life.attach(plugin)
    if first.address == second.address:
        return failed("Two contexts are given one and the same plugin object: attachToContext() must make a new one.")
    if plugin.creator.is_v3:
        for kind, name in ((CORE, "kCORE"), (BUILD, "kBUILD"), (RUNTIME, "kRUNTIME")):
            if plugin.capability(kind) is not None and first.capability(kind) is None:
                return failed(
                    f"The plugin of a context returns null for {name}, which the engine's has: attachToContext() "
                    f"clones the entire IPluginV3 object."
                )
    mine = kept_now(plugin)
    if (theirs := kept_now(second)) != mine:
        return failed(f"Of the plugin of a context, {difference(mine, theirs, 'was', 'is')}: attach a full clone.")
    life.end(second, second)
    if (theirs := kept_now(first)) != mine:
        end_two(bench)
        return failed(f"After another context ended, {difference(mine, theirs)} in the plugin of the first.")
    life.end(first, plugin)
    return passed()


def _runtime_plugin(bench: Bench, session: Session) -> Plugin:
    """The plugin as an engine has it."""
    if bench.spec.tensors:
        return life.revive(session, bench.stored())
    plugin = bench.plugin(session)
    if not plugin.creator.is_v3:
        plugin.initialize()
    return plugin


@rule(
    "clone-ready", group="clone", level="L1", needs=("attach",), wants=("spec",),
    sentence="The plugin of a context runs as it is: clone() and attachToContext() leave nothing to be made by others.",
    belief="initialize() is called before a plugin runs, on every object.",
    source=f"{_CLONE}: the clone is in an initialized state, and V2's initialize() is not called on it; "
    "PaddlePaddle/Paddle#24108, #30695",
)  # fmt: skip
def clone_ready(bench: Bench, rng) -> Finding:
    """Where a context's plugin does not run, the engine's own, made ready, shows whether the clone is to blame."""
    case = bench.case(rng)
    stored = bench.stored()
    try:
        run = run_context(bench, life.attach(life.revive(bench.fresh(), stored)), stored, case)
    except PluginEnded as ended:
        ready = made_ready(bench, stored, case)
        if ready is None or not ready.well:
            raise
        return failed(f"{ended.words.sentence} The engine's own plugin runs: a clone lacks what it has.")
    ready = made_ready(bench, stored, case)
    if not run.well:
        if ready is None or not ready.well:
            return passed("Neither does the engine's own plugin run: another rule says why.")
        what = f"enqueue() returned {run.status}" if run.status else "it fails"
        return failed(f"The plugin of a context does not run ({what}), and the engine's own does: {_ADVICE}.")
    if ready is not None and ready.well and not bench.same(ready, run):
        return failed(f"The plugin of a context computes something else than the engine's own: {_ADVICE}.")
    return passed()


_ADVICE = "a clone must have all that initialize() and createPlugin() make"
