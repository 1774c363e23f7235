"""Tactics, the timing cache, the metadata string, statuses."""

from __future__ import annotations

from collections import Counter

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.compare import difference
from grader.checks.conformance.rule import rule
from grader.checks.conformance.runs import run_context, run_directly, runs_itself
from grader.checks.conformance.trials import went_well
from grader.plugin import life
from grader.plugin.arguments import at_run
from grader.plugin.inputs import extents_at
from grader.plugin.objects import Plugin

_BUILD = "NvInferRuntime.h 10.14, IPluginV3OneBuild"
_UNWRITTEN = -(1 << 31)  # what the host fills the array of tactics with
_ZERO = "0 says that all is well; anything else stops the engine."
_MOST_TACTICS = 1000


@rule(
    "tactics", group="build", family="V3", wants=("spec",), needs=("formats-complete", "configure"),
    sentence="getValidTactics() writes as many tactics as getNbTactics() says, none 0, none twice, all right.",
    belief="Tactics are counted from 0.",
    source=f"{_BUILD}::getValidTactics and getNbTactics; IPluginV3OneRuntime::setTactic",
)  # fmt: skip
def tactics(bench: Bench, rng) -> Finding:
    for combination in bench.spec.combinations():
        plugin = bench.plugin()
        life.build(plugin, bench.spec, combination)
        count, status, found = plugin.tactics()
        if problem := _wrong_tactics(plugin, count, status, found):
            return failed(problem)
    if not found and (status := bench.plugin().set_tactic(0)):
        return failed(f"setTactic(0) returned {status}: 0 is the default tactic, and set where none are advertised.")
    return _compute_alike(bench, found, rng) if bench.kernels and found else passed()


def _wrong_tactics(plugin: Plugin, count: int, status: int, found: list[int]) -> str | None:
    if not 0 <= count <= _MOST_TACTICS:
        return f"getNbTactics() returned {count}."
    if status != 0 and count:
        return f"getValidTactics() returned {status} where there is room for the {count} that getNbTactics() says."
    if _UNWRITTEN in found:
        return f"getNbTactics() says {count}, and getValidTactics() wrote {count - found.count(_UNWRITTEN)} of them."
    if 0 in found:
        return "getValidTactics() lists the tactic 0, which is the default tactic's: count from 1."
    if double := [tactic for tactic, times in Counter(found).items() if times > 1]:
        return f"getValidTactics() lists the tactic {double[0]} twice."
    if plugin.tactics()[2] != found:
        return "getValidTactics() lists other tactics when it is called again for the same configuration."
    for tactic in found:
        if status := plugin.set_tactic(tactic):
            return f"setTactic({tactic}) returned {status}, and getValidTactics() lists {tactic}."
    return None


def _compute_alike(bench: Bench, found: list[int], rng) -> Finding:
    """Each tactic's results beside the reference's, or the first tactic's within the tolerance."""
    combination = bench.spec.combinations()[-1]
    case = bench.case(rng, combination=combination)
    expected = bench.expected(case) if bench.spec.reference else None
    for tactic in found[:16]:
        plugin = bench.plugin()
        run = run_directly(bench, plugin, life.build(plugin, bench.spec, combination, tactic), case)
        went_well(run)
        expected = expected if expected is not None else run.outputs
        kinds = case.combination.types[len(bench.spec.tensors) :]
        for output, kind, got, right in zip(bench.spec.outputs, kinds, run.outputs, expected, strict=False):
            if right is not None and (wrong := difference(bench.spec, output, kind, got, right)):
                return failed(f"With tactic {tactic}, output {output.name} {wrong} ({case.name}).")
    return passed()


@rule(
    "timing-cache", group="build", family="V3",
    sentence="getTimingCacheID() is null, or a text made of the attributes alone: the same for equal plugins.",
    belief="The id should tell one object from another.",
    source=f"{_BUILD}::getTimingCacheID: considering only the creation state of the plugin; developer guide 10.16, "
    "Enabling Timing Caching: it does not change afterwards",
)  # fmt: skip
def timing_cache(bench: Bench, rng) -> Finding:
    """Different attributes may share an id where they do not change how long the plugin takes."""
    problem = _unsteady(bench, "getTimingCacheID", lambda plugin: plugin.timing_cache_id(), "the cache is of no use")
    if problem:
        return failed(problem)
    return _tells_tactics_apart(bench)


def _tells_tactics_apart(bench: Bench) -> Finding:
    if not bench.spec.tensors:
        return passed()
    plugin = bench.plugin()
    life.build(plugin, bench.spec)
    for attribute in bench.spec.attributes:
        if attribute.other is None:
            continue
        changed = bench.plugin(changed={attribute.name: attribute.other})
        life.build(changed, bench.spec)
        mine, theirs = plugin.timing_cache_id(), changed.timing_cache_id()
        if mine is not None and mine == theirs and plugin.tactics() != changed.tactics():
            return failed(
                f"With another {attribute.name} the plugin has other tactics and the same getTimingCacheID(), "
                f"{mine!r}: a tactic from the cache may be one that it does not have."
            )
    return passed()


@rule(
    "metadata", group="build", family="V3",
    sentence="getMetadataString() is null, or a text made of the attributes alone: the same for equal plugins.",
    belief="The metadata may say what the object has been through.",
    source=f"{_BUILD}::getMetadataString: the plugin's creation state",
)  # fmt: skip
def metadata(bench: Bench, rng) -> Finding:
    problem = _unsteady(bench, "getMetadataString", lambda plugin: plugin.metadata(), "two builds of one model differ")
    return failed(problem) if problem else passed()


def _unsteady(bench: Bench, method: str, ask, consequence: str) -> str | None:
    """How the text differs where the attributes are the same."""
    first, second = bench.plugin(), bench.plugin()
    text = ask(first)
    others = [("asked again", lambda: ask(first)), ("of another plugin with the same attributes", lambda: ask(second))]
    if (clone := first.clone()) is not None:
        others.append(("of a clone", lambda: ask(clone)))
    if bench.spec.tensors:
        others.append(("after configurePlugin()", lambda: (life.build(second, bench.spec), ask(second))[1]))
    others.append(("in another process", lambda: ask(bench.plugin(bench.fresh()))))
    for when, other in others:
        if (said := other()) != text:
            return f"{method}() is {text!r}, and {when} {said!r}: {consequence}. Make it of the attributes alone."
    return None


@rule(
    "status", group="build", wants=("spec",), needs=("formats-complete", "shapes-wildcard", "size-tensor", "configure"),
    sentence="createPlugin() makes a plugin of good attributes, and every method that returns a status returns 0.",
    belief="A status is for information; only crashes matter.",
    source="NvInferRuntime.h 10.14, the methods of IPluginV3OneBuild and IPluginV3OneRuntime: non-zero ends the "
    "engine; NvInferRuntimePlugin.h 10.14, IPluginV2::initialize",
)  # fmt: skip
def status(bench: Bench, rng) -> Finding:
    for combination in bench.spec.combinations():
        stored = bench.stored(combination)
        context = life.attach(life.revive(bench.session(), stored))
        for which in ("opt", "min", "max", "opt"):
            if problem := _shape_change(bench, context, stored, which):
                return failed(problem)
        if bench.kernels:
            case = bench.case(rng, combination=combination)
            run = run_context(bench, context, stored, case)
            if run.fault is not None:
                went_well(run)
            if code := run.status:
                if runs_itself(bench, stored, case):
                    raise life.LifeProblem("clone-ready", f"enqueue() of a context's plugin returned {code}.")
                return failed(f"enqueue() returned {code} for {case.name}. {_ZERO}")
    return passed()


def _shape_change(bench: Bench, context: Plugin, stored: life.Stored, which: str) -> str | None:
    tensors = at_run(bench.spec, stored.combination, stored.shapes, extents_at(bench.spec, which))
    if code := context.shape_change(tensors.inputs, tensors.outputs):
        return f"onShapeChange() returned {code} at the profile's {which} extents. {_ZERO}"
    return None
