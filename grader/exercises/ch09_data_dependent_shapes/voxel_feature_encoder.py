"""voxel-feature-encoder: a plugin whose number of rows is a size tensor; creator, formats and kernels are supplied.

Rules of plugins, and two checks of its own: that the bound is as tight as the contract says, and that a count begins
anew in memory that holds the last one. Where something runs, what is compared is what the device holds.
"""

from __future__ import annotations

from grader.checks import Check, Finding, failed, passed
from grader.checks.conformance.rules.values import wrong
from grader.exercises.plugin import PluginPlan, asked
from grader.plugin import life
from grader.plugin.arguments import bindings

_COUNT = 2  # output
_GRIDS = ((8, 8, 4), (2, 3, 5), (1, 1, 1))
_POINTS = (1, 2, 7, 29, 30, 31, 255, 256, 257, 1000, 10000)


def _bound(bench, rng) -> Finding:
    """The declared bound, evaluated for several grids and numbers of points."""
    bench = bench.conformance
    for grid in _GRIDS:
        plugin = bench.plugin(bench.session(), {"grid": grid})
        shapes = life.output_shapes(plugin, bench.spec)
        plugin.end()
        [size] = [each for each in shapes.size_tensors() if each.output == _COUNT]
        cells = grid[0] * grid[1] * grid[2]
        for points in (*_POINTS, int(rng.integers(300, 9000))):
            right, said = min(points, cells), shapes.evaluate(size.upper, bindings(bench.spec, {"P": points}))
            if said == right:
                continue
            rest = "there is no memory for the others" if said < right else "memory for the others is never used"
            return failed(
                f"For {points:,} points and a grid of {cells:,} cells, at most {right:,} voxels hold a point; "
                f"declareSizeTensor() is told that it is at most {said:,}, so {rest}.",
                points=points, cells=cells, upper=said,
            )  # fmt: skip
    return passed()


def _again(bench, rng) -> Finding:
    """One context, one set of buffers, as in an engine; they begin as zeros, so that the first run is no test."""
    bench = bench.conformance
    ready = bench.ready()
    buffers = ready.runner.buffers(bench.case(rng, {"P": 400}), poison=0)
    for turn, points in enumerate((400, 9, 400)):
        case = bench.case(rng, {"P": points})
        run = ready.runner.run(ready.context, case, buffers=buffers)
        if run.fault is not None:
            return failed(run.fault.sentence)
        if not run.well:
            return failed(f"In turn {turn + 1}, with {points} points, enqueue() returned {run.status}.")
        if problem := wrong(bench, case, run, bench.expected(case)):
            held = run.sizes.get(_COUNT)
            return failed(
                f"{problem}, in turn {turn + 1} of a context, with {points} points and the memory of the turns before; "
                f"the count is {held}. What enqueue() adds to must begin as 0 in each turn.",
                turn=turn + 1, count=held,
            )  # fmt: skip
    buffers.free()
    return passed()


PLAN = PluginPlan(
    package=__package__, spec="voxel_feature_encoder.toml", group="declared",
    supplied=(
        "voxel_kernel.cu", "voxel_kernel.h",
        *(f"common/{each}.h" for each in ("export", "fields", "log", "status")),
    ),
    rules=(
        *asked(
            "output-types", "shapes", "shapes-wildcard", "size-tensor", group="declared",
            own={
                "output-types": "size-of-any-type", "shapes-wildcard": "extent-is-a-number",
                "size-tensor": "looked-after",
            },
        ),
        *asked("configure", group="declared"),
        *asked(
            "status", "workspace-poison", "values-zero", group="results",
            own={
                "status": "descriptor-knows",
                "workspace-poison": "scratch-is-clean", "values-zero": "nothing-to-do",
            },
        ),
        *asked("values", "outputs-written", "bounds", "shape-change", "contexts", group="results"),
        *asked(
            "host-access", "stream", "no-synchronization", "launch-errors", group="stream",
            own={
                "host-access": "count-on-the-host", "stream": "zero-has-no-stream",
                "no-synchronization": "host-must-know", "launch-errors": "launches-succeed",
            },
        ),
        *asked("no-pageable-copy", "no-allocation", "capture", group="stream"),
    ),
    checks=(
        Check(
            id="bound", misconception="bound-is-a-guess", group="declared", run=_bound, seeded=True,
            needs=("size-tensor",), source="contract: bound",
            sentence="The bound is how many voxels can hold a point: as many as points or as cells, if these are less.",
        ),
        Check(
            id="begins-anew", misconception="zero-once", group="results", run=_again, seeded=True,
            needs=("status",), source="contract: memory",
            sentence="Run after run in the same memory, with more points and fewer, each count is that of its own run.",
        ),
    ),
)  # fmt: skip
