"""A plugin driven through a sequence of runs, in contexts of one engine: what it was told, and what it computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from grader.checks.conformance.compare import difference
from grader.checks.conformance.run import open_bench
from grader.plugin import life
from grader.plugin.execute import POISON, Case, Run, Runner
from grader.plugin.records import Shapes
from grader.plugin.session import PluginEnded
from grader.plugin.spec_records import Spec
from grader.plugin.trace import Call
from grader.toolchain.levels import reach


class Built(Protocol):
    """What ``grader.notebook.plugin.Draft`` is: a plugin library, and what is known of it."""

    library: Path
    spec: Spec


@dataclass(frozen=True)
class Step:
    """One run: in which context, at which extents, whether the context was told of them, what was wrong."""

    context: int
    extents: Mapping[str, int]
    told: bool
    problem: str  # "" where the output was right

    def __str__(self) -> str:
        at = ", ".join(f"{name} = {value}" for name, value in self.extents.items())
        told = "onShapeChange, enqueue" if self.told else "enqueue"
        return f"context {self.context}   {at:15} {told:23} {self.problem or 'right'}"


@dataclass(frozen=True)
class Driven:
    """``shapes``: the outputs' shapes as the plugin gave them; ``workspace``: the bytes that it asked for."""

    calls: list[Call]
    shapes: Shapes
    workspace: int
    steps: tuple[Step, ...]

    def __repr__(self) -> str:
        return "\n".join(map(str, self.steps))


def drive(draft: Built, runs: Sequence[tuple[int, Mapping[str, int]]], *, seed: int = 1) -> Driven:
    """Builds the plugin in one process and runs it in another one: (context, extents) after (context, extents). As an
    engine does, a context is told of its extents in its first run and when they differ from those before."""
    rng, steps = np.random.default_rng(seed), []
    with open_bench(draft.library, draft.spec, reach(draft.library)) as bench:
        stored = bench.stored()
        session = bench.fresh()
        engine = life.revive(session, stored)
        device = bench.device_of(session)
        device.order("eager")
        runner = Runner(device, draft.spec, stored.shapes, stored.workspace)
        contexts, before = {}, {}
        for who, extents in runs:
            if who not in contexts:
                contexts[who] = life.attach(engine)
            case, told = bench.case(rng, dict(extents)), before.get(who) != extents
            try:
                run = runner.run(contexts[who], case, poison=POISON, shape_change=told)
                problem = _problem(bench, case, run)
            except PluginEnded as ended:
                problem = ended.words.sentence
            steps.append(Step(who, dict(extents), told, problem))
            before[who] = extents
            if problem.startswith("enqueue() faults"):
                break  # the device is not what it was
        return Driven(list(bench.trace.calls), stored.shapes, stored.workspace, tuple(steps))


def _problem(bench, case: Case, run: Run) -> str:
    if run.fault is not None:
        return f"enqueue() faults: {run.fault.sentence}"
    if not run.well:
        return f"{'onShapeChange' if run.shape_status else 'enqueue'}() returned {run.shape_status or run.status}"
    kinds = case.combination.types[len(case.tensors) :]
    rows = zip(bench.spec.outputs, kinds, run.outputs, bench.expected(case), strict=True)
    found = ((output.name, difference(bench.spec, output, kind, got, right)) for output, kind, got, right in rows)
    return next((f"{name} {problem}" for name, problem in found if problem), "")
