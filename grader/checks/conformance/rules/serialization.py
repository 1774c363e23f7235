"""What a plan keeps of a plugin, and what a runtime makes of it again."""

from __future__ import annotations

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import FILL, Bench, shown
from grader.checks.conformance.kept import (
    Kept,
    configured,
    difference,
    end_two,
    kept,
    kept_in,
    kept_now,
    rebuild,
    takes_types,
)
from grader.checks.conformance.rule import rule
from grader.checks.conformance.runs import run_directly, run_revived
from grader.checks.conformance.trials import went_well
from grader.plugin import life
from grader.plugin.fields import other_value
from grader.plugin.objects import Plugin
from grader.plugin.records import Field
from grader.plugin.session import Session
from grader.plugin.spec_records import Attribute
from grader.plugin.types import field_type

_OTHER_FILL = 0x3C
_FIELDS = "NvInferRuntime.h 10.14, IPluginV3OneRuntime::getFieldsToSerialize"


@rule(
    "serialize-lifetime", group="serialization", needs=("blob-size",),
    sentence="What getFieldsToSerialize() returns lies in the plugin itself: it outlives the call and other plugins.",
    belief="A clone's list of fields is right because it was copied.",
    source=f"{_FIELDS}: it does not say when the fields are read, or which other calls come before",
)  # fmt: skip
def serialize_lifetime(bench: Bench, rng) -> Finding:
    """Freed memory is filled (``bench.FILL``), and the stack is after each call (``host/plugin.cpp``)."""
    if bench.is_v3:
        if problem := _overwritten(bench) or _dangling(bench):
            return failed(problem)
    original = bench.plugin(bench.fresh())
    clone, control = original.clone(), original.clone()
    if clone is None or control is None or clone.address == original.address:
        raise life.LifeProblem("clone", "clone() returned null, or the object itself.")
    before = kept_now(configured(bench, control))
    original.end()
    if (after := kept_now(configured(bench, clone))) != before:
        end_two(bench)
        advice = "Fill the list of fields in getFieldsToSerialize()" if bench.is_v3 else "Let clone() copy it"
        return failed(
            f"Once the original is destroyed, {difference(before, after)} in its clone: what the clone serializes "
            f"points into the original. {advice}."
        )
    return passed()


def _overwritten(bench: Bench) -> str | None:
    """Another plugin's call changes what the first was given."""
    first, second = bench.plugin(), bench.plugin(changed=_all_changed(bench)) or bench.plugin()
    given = kept_now(configured(bench, first))
    configured(bench, second).serialized()
    if (later := Kept(first.serialized_before() or ())) != given:
        return (
            f"After another plugin's getFieldsToSerialize(), {difference(given, later)} in what the first plugin "
            f"returned: keep the list and what it points to in members, not in static or local variables."
        )
    return None


def _all_changed(bench: Bench):
    return {each.name: each.other for each in bench.spec.attributes if each.other is not None}


def _dangling(bench: Bench) -> str | None:
    """Two processes whose freed memory holds different bytes are told different values."""
    told = []
    for fill in (FILL, _OTHER_FILL):
        with bench.fresh(fill) as session:
            told.append(configured(bench, bench.plugin(session)).serialized() or ())
    for one, two in zip(*told, strict=False):
        if one.name != two.name or _depends_on_the_fill(one, two):
            return (
                f"The {'name' if one.name != two.name else 'data'} of a field that getFieldsToSerialize() returns "
                f"({one.name!r}) lies in memory that is not the plugin's, or was never written: let it be a member."
            )
    return None


def _depends_on_the_fill(one: Field, two: Field) -> bool:
    """Raw bytes may hold padding that nobody writes, so they count only where nothing of them is the same."""
    if one.data == two.data or one.data is None or two.data is None or len(one.data) != len(two.data):
        return one.data != two.data
    if field_type(one.type) in (None, "unknown", "dims"):
        return len(one.data) > 16 and all(a != b for a, b in zip(one.data[16:], two.data[16:], strict=True))
    return True


@rule(
    "serialize-stable", group="serialization", needs=("serialize-lifetime", "serialize-complete"),
    sentence="A plugin serializes the same at each call, and so does the plugin that is rebuilt from it, twice round.",
    belief="A plan is written once, so only the first serialization counts.",
    source="NvInferRuntime.h 10.14, ICudaEngine::serialize: an engine that was loaded can be saved again; "
    "onnx/onnx-tensorrt#9 and #140",
)  # fmt: skip
def serialize_stable(bench: Bench, rng) -> Finding:
    plugin = bench.plugin()
    found = kept(bench, plugin)
    if (again := kept_now(plugin)) != found:
        return failed(f"Asked twice, a plugin serializes different things: {_appended(found, again)}.")
    if not bench.is_v3:
        return passed()  # V2: blob-round-trip
    for turn in ("", " a second time"):
        plugin = rebuild(bench, plugin, found)
        if (again := kept_now(plugin)) != found:
            return failed(
                f"Rebuilt from its fields{turn}, the plugin serializes others: {difference(found, again)}. A plan that "
                f"was loaded can be saved again."
            )
    return passed()


def _appended(found: Kept, again: Kept) -> str:
    """How they differ; of a list that grew, what comes more often than before."""
    before, now = ([each.name for each in kept.fields] for kept in (found, again))
    for name in dict.fromkeys(before):
        if before.count(name) < now.count(name):
            return f"the field {name!r} comes {now.count(name)} times, after {before.count(name)} in the first answer"
    return difference(found, again)


@rule(
    "serialize-complete", group="serialization", needs=("serialize-lifetime", "fields-per-object"),
    sentence="Every attribute is serialized and comes back: set to another value, it has that value when rebuilt.",
    belief="What createPlugin() reads at run time is what the user once passed.",
    source="NvInferRuntime.h 10.14, IPluginCreatorV3One::createPlugin: at run time it gets what getFieldsToSerialize() "
    "gave; NVIDIA/TensorRT#4222",
)  # fmt: skip
def serialize_complete(bench: Bench, rng) -> Finding:
    """What matters only while an engine is built need not be kept: where kernels run, the results decide."""
    plugin = bench.plugin()
    base = kept(bench, plugin)
    rebuilt = kept_now(rebuild(bench, plugin, base))
    tried = [each for each in (_changed(bench, attribute) for attribute in bench.spec.attributes) if each is not None]
    for name, value, _, found, back, _ in tried:
        if found != base and back == rebuilt:
            return failed(
                f"With {name} = {value}, {difference(found, back, 'is', 'comes back as')}: what rebuilds the plugin "
                f"does not read what the plugin serialized."
            )
    runs = bench.kernels and bench.spec.tensors
    for name, value, plugin, found, _, stored in tried:
        if found == base and (_computes_otherwise(bench, plugin, stored) if runs else not bench.guessed):
            return failed(
                f"With {name} = {value}, the plugin serializes the same as with its first value: a plugin that is "
                f"rebuilt cannot know {name}."
            )
    for name, value, plugin, _, _, stored in tried if runs else ():
        if _computes_otherwise(bench, plugin, stored):
            return failed(
                f"With {name} = {value}, the plugin that is rebuilt from its serialized form computes something else "
                f"than the one that was serialized: use all that was kept when rebuilding."
            )
    if not bench.spec.attributes:
        return passed("The plugin has no attributes.")
    left = {each.name for each in bench.spec.attributes} - {each[0] for each in tried}
    untried = f"Not tried with another value, which the plugin or its types refuse: {shown(sorted(left))}."
    return passed(untried if left else "")


def _changed(bench: Bench, attribute: Attribute):
    """Name and other value of an attribute, the plugin made with it, what it keeps, what comes back of that, and the
    build; None where the other value is made up and not legal, or asks for other types than the spec's."""
    value = other_value(attribute)
    try:
        plugin = bench.plugin(changed={attribute.name: value})
        if not takes_types(bench, {attribute.name: value}):
            return None
        stored = life.build(plugin, bench.spec) if bench.spec.tensors else None
    except life.LifeProblem:
        if attribute.other is None:
            return None
        raise
    found = kept_in(stored) if stored else kept_now(plugin)
    return attribute.name, value, plugin, found, kept_now(rebuild(bench, plugin, found)), stored


def _computes_otherwise(bench: Bench, plugin: Plugin, stored: life.Stored) -> bool:
    import numpy as np

    case = bench.case(np.random.default_rng(1))
    direct = run_directly(bench, plugin, stored, case)
    went_well(direct)
    revived = run_revived(bench, plugin.session, stored, case)
    return not revived.well or not bench.same(revived, direct)


@rule(
    "serialize-fresh-process", group="serialization", needs=("registry", "blob-size", "serialize-lifetime"),
    sentence="A process that only loads the library rebuilds the plugin from what was stored, and computes the same.",
    belief="What creating the plugin left behind in the process is there at inference too.",
    source="NvInferRuntimeCommon.h 10.14, IPluginRegistry::getCreator; NvInferRuntime.h 10.14, "
    "IPluginCreatorV3One::createPlugin; NVIDIA/TensorRT#1913",
)  # fmt: skip
def serialize_fresh_process(bench: Bench, rng) -> Finding:
    here = bench.session()
    if not bench.spec.tensors:
        return _fresh_without_inputs(bench)
    stored = bench.stored()
    if problem := _rebuilt_alike(bench, stored, fresh := bench.fresh()):
        return failed(problem)
    if bench.kernels:
        case = bench.case(rng)
        expected = run_revived(bench, here, stored, case)
        went_well(expected)
        run = run_revived(bench, fresh, stored, case)
        if not run.well or not bench.same(run, expected):
            return failed(
                "In a new process, the rebuilt plugin computes something else than in the process that built it: it "
                "needs something that is neither serialized nor made by createPlugin()."
            )
    return passed()


def _rebuilt_alike(bench: Bench, stored: life.Stored, fresh: Session) -> str | None:
    back = kept_now(life.revive(fresh, stored))
    if back == kept_in(stored):
        return None
    if kept_now(life.revive(bench.session(), stored)) == back:
        return None  # in the same process too: serialize-stable
    return (
        f"In a new process, {difference(kept_in(stored), back)} in the rebuilt plugin: it needs something that is "
        f"neither serialized nor made by createPlugin()."
    )


def _fresh_without_inputs(bench: Bench) -> Finding:
    """The same as far as it goes without knowing the inputs."""
    plugin = bench.plugin()
    found = kept_now(plugin)
    here = kept_now(rebuild(bench, plugin, found))
    with bench.fresh() as fresh:
        name, version, namespace = plugin.identity()
        if fresh.look_up(name or "", version or "", namespace or "") is None:
            raise life.LifeProblem("getCreator", f"The registry of a new process finds no creator for {name!r}.")
        there = bench.plugin(fresh)
        back = kept_now(rebuild(bench, there, found))
    if back != here:
        return failed(f"In a new process, {difference(here, back)} in the rebuilt plugin.")
    return passed()
