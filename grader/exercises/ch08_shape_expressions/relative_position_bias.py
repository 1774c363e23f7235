"""relative-position-bias: five methods that know about shapes, each by something else: expressions, bounds, numbers.

Rules of plugins, and one check of its own: what is refused, and what must not be.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from grader.checks import Check, Finding, failed, passed
from grader.exercises.plugin import PluginPlan, asked
from grader.plugin import life
from grader.plugin.arguments import at_build, at_run
from grader.plugin.inputs import drawn_extents
from grader.plugin.records import Descriptor

_QUERY, _PAST, _TABLE = range(3)
_FEW = 3  # rows of a table: one bucket in each direction, which T5's formula cannot use, or three in one


def _refuses(bench, rng) -> Finding:
    bench = bench.conformance
    for bidirectional in (1, 0):
        plugin = bench.plugin(changed={"bidirectional": bidirectional})
        shapes, combination = life.output_shapes(plugin, bench.spec), bench.spec.combinations()[0]
        build = at_build(bench.spec, combination, shapes)
        run = at_run(bench.spec, combination, shapes, drawn_extents(bench.spec, rng))
        heads = run.inputs[_TABLE].dims[1]
        told = f"with bidirectional = {bidirectional} and a table of {_FEW} rows"
        for method, ask, inputs, outputs in (
            ("configurePlugin", plugin.configure, build.inputs, build.outputs),
            ("onShapeChange", plugin.shape_change, run.inputs, run.outputs),
        ):
            status = ask(_with(inputs, _TABLE, 0, _FEW), outputs)
            if bidirectional and status == 0:
                return failed(f"{method}() returns 0 {told}: bucketsFit() says that such a table cannot be used.")
            if not bidirectional and status:
                return failed(f"{method}() returns {status} {told}: bucketsFit() says that such a table can be used.")
        for name, which in (("query", _QUERY), ("past", _PAST)):
            if plugin.shape_change(_with(run.inputs, which, 1, heads + 1), run.outputs) == 0:
                return failed(
                    f"onShapeChange() returns 0 where {name} has {heads + 1} heads and the table {heads}: the profile "
                    "bounds each input by itself, so that such a run can come."
                )
        if status := plugin.shape_change(run.inputs, run.outputs):
            return failed(f"After runs that were refused, onShapeChange() returns {status} for one that is right.")
        plugin.end()
    return passed()


def _with(inputs: Sequence[Descriptor], which: int, axis: int, extent: int) -> list[Descriptor]:
    """The descriptors with another extent in one of them, in its bounds too."""

    def changed(dims: tuple[int, ...] | None) -> tuple[int, ...] | None:
        return None if dims is None else (*dims[:axis], extent, *dims[axis + 1 :])

    of = inputs[which]
    new = dataclasses.replace(
        of, dims=changed(of.dims), min=changed(of.min), opt=changed(of.opt), max=changed(of.max)
    )  # fmt: skip
    return [*inputs[:which], new, *inputs[which + 1 :]]


PLAN = PluginPlan(
    package=__package__, spec="relative_position_bias.toml", group="expressions",
    supplied=("bias_kernel.cu", "bias_kernel.h", "bias_library.cpp", "common/export.h", "common/fields.h",
              "common/log.h", "common/status.h"),
    rules=(
        *asked(
            "shapes", "shapes-wildcard", group="expressions",
            own={"shapes": "one-example", "shapes-wildcard": "extents-are-numbers"},
        ),
        *asked(
            "configure", "workspace", "workspace-poison", group="bounds",
            own={"configure": "dims-at-configure", "workspace": "usual-is-enough"},
        ),
        *asked(
            "serialize-complete", "serialize-fresh-process", "status", "values", "values-zero", "outputs-written",
            "bounds", "stream", "launch-errors", "no-allocation", group="numbers",
            own={
                "serialize-complete": "configured-before", "values-zero": "empty-input-no-work",
                "values": "row-is-keys", "bounds": "type-is-float",
            },
        ),
        *asked(
            "shape-change", "contexts", "threads", group="changes",
            own={"shape-change": "first-run-stays", "contexts": "one-context"},
        ),
    ),
    checks=(
        Check(
            id="refuses", misconception="somebody-checked", group="bounds", run=_refuses, seeded=True,
            needs=("configure", "status"), source="contract: what is refused",
            sentence="A table or heads that cannot be used are refused, in the build and before a run; others are not.",
        ),
    ),
)  # fmt: skip
