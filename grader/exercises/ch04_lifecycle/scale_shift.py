"""scale-shift: the creator and the life of a plugin with two attributes; its kernel is supplied.

Rules of plugins, and checks of its own: what is advertised, what a missing field means in either phase, and that the
attributes of a plan reach the kernel. Where something runs, what is compared is what the device holds.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grader.checks import Check, Finding, failed, passed
from grader.checks.conformance.compare import difference
from grader.checks.conformance.runs import run_context
from grader.exercises.plugin import PluginPlan, asked, theme
from grader.plugin import life
from grader.plugin.arguments import attribute_fields
from grader.plugin.execute import Case, Run
from grader.plugin.session import RUNTIME
from grader.plugin.types import field_type

_NAMES = ("scale", "shift")


def _wrong(bench, case: Case, run: Run, attributes: Mapping[str, float]) -> str | None:
    """What is wrong with a run's output, for these attributes."""
    if not run.well:
        return f"enqueue() returned {run.status}" if run.fault is None else run.fault.sentence.rstrip(".")
    output, [right] = bench.spec.outputs[0], bench.expected(case, attributes)
    problem = difference(bench.spec, output, case.combination.types[1], run.outputs[0], right)
    return f"y {problem}" if problem else None


def _advertised(bench, rng) -> Finding:
    bench = bench.conformance
    said = {each.name: each for each in life.find_creator(bench.session(), bench.spec).fields or ()}
    for right in attribute_fields(bench.spec):
        field = said[right.name]
        if (field.type, field.length) != (right.type, right.length):
            return failed(
                f"getFieldNames() advertises {field.name} as {field_type(field.type) or field.type} of length "
                f"{field.length}; createPlugin() reads it as {field_type(right.type)} of length {right.length}."
            )
    return passed()


def _defaults(bench, rng) -> Finding:
    """Every choice of fields makes a plugin, in the build phase, and it computes with the defaults of the others. The
    plugin runs itself, not a clone of it, so that a wrong clone() costs nothing here."""
    bench = bench.conformance
    session = bench.session()
    creator = life.find_creator(session, bench.spec)
    defaults = {each.name: each.default for each in bench.spec.attributes}
    for given in ((), ("shift",), ("scale",), ("shift", "scale")):
        values = {name: float(np.float32(rng.uniform(2, 5))) for name in given}
        fields = [each for each in attribute_fields(bench.spec, values) if each.name in given]
        told = f"Given {' and '.join(given)} alone" if given else "Given an empty collection"
        plugin = session.create(creator, fields[::-1])
        if plugin is None:
            return failed(f"{told}, createPlugin() returns null in the build phase: what is missing has its default.")
        stored, case = life.build(plugin, bench.spec), bench.case(rng)
        plugin.set_tactic(stored.tactic)
        problem = _wrong(bench, case, run_context(bench, plugin, stored, case), defaults | values)
        if problem:
            shown = ", ".join(f"{name} = {value:g}" for name, value in (defaults | values).items())
            return failed(f"{told}, the plugin must compute with {shown}; but {problem}.", case=case.name)
    return passed()


def _missing_at_run_time(bench, rng) -> Finding:
    bench = bench.conformance
    session = bench.session()
    creator = life.find_creator(session, bench.spec)
    every = attribute_fields(bench.spec)
    for missing in (*_NAMES, "both"):
        plugin = session.create(creator, [each for each in every if missing not in (each.name, "both")], RUNTIME)
        if plugin is not None:
            plugin.end()
            return failed(
                f"A plan without {missing} is accepted: createPlugin() is called with kRUNTIME and makes a plugin with "
                f"a default in its place. What is missing in a plan was lost; return null."
            )
    return passed()


def _kept_reaches_the_kernel(bench, rng) -> Finding:
    """Drawn attributes, built in one process and run in another that knows the plan alone, by the engine's plugin."""
    bench = bench.conformance
    for _ in range(2):
        values = {name: float(np.float32(rng.uniform(-6, 6))) for name in _NAMES}
        stored, case = bench.stored(changed=values), bench.case(rng)
        engine = life.revive(bench.runtime(), stored)
        if problem := _wrong(bench, case, run_context(bench, engine, stored, case), values):
            shown = ", ".join(f"{name} = {value:g}" for name, value in values.items())
            return failed(f"Built with {shown} and run from its plan in a new process, {problem}.", case=case.name)
    return passed()


PLAN = PluginPlan(
    package=__package__, spec="scale_shift.toml", group="library",
    supplied=("scale_shift_kernel.cu", "scale_shift_kernel.h"),
    rules=(
        *asked("capabilities", group="library", own={"capabilities": "any-cast-will-do"}),
        *asked(
            *theme("fields"), group="fields",
            own={
                "fields-advertised": "parser-passes-all", "fields-null": "data-is-there",
                "fields-unknown": "fields-in-order", "fields-type": "type-is-mine", "fields-length": "length-is-one",
                "fields-per-object": "creator-remembers",
            },
        ),
        *asked(
            *theme("serialization"), group="kept",
            own={
                "serialize-lifetime": "list-outlives-call", "serialize-complete": "plan-knows-it",
                "serialize-stable": "asked-once", "serialize-fresh-process": "names-are-labels",
            },
        ),
        *asked(
            *theme("clone"), "leaks", group="copies",
            own={"clone-equal": "clone-set-up-later", "attach": "attach-this", "leaks": "somebody-frees"},
        ),
        *asked("status", "values", group="results"),
    ),
    checks=(
        Check(
            id="advertised-as-read", misconception=None, group="fields", run=_advertised,
            needs=("fields-advertised",), source="contract: fields",
            sentence="getFieldNames() says of each field the type and the length that createPlugin() reads.",
        ),
        Check(
            id="defaults", misconception="missing-has-default", group="fields", run=_defaults, seeded=True,
            needs=("fields-per-object",), source="contract: missing at build",
            sentence="In the build phase a missing field has its default, and the kernel computes with it.",
        ),
        Check(
            id="missing-at-run-time", misconception="phases-alike", group="kept", run=_missing_at_run_time,
            needs=("serialize-complete",), source="contract: missing at run time",
            sentence="At run time createPlugin() refuses a plan in which a field is missing.",
        ),
        Check(
            id="kept-values", misconception=None, group="kept", run=_kept_reaches_the_kernel, seeded=True,
            needs=("serialize-complete", "serialize-fresh-process"), source="contract: plan",
            sentence="Attributes that went through a plan reach the kernel of another process.",
        ),
    ),
)  # fmt: skip
