"""Runs on the simulated GPU that rules share: who owns what went wrong in one, and trials that several rules read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grader.checks.conformance.bench import Bench, Ready
from grader.plugin.arguments import upper_shapes
from grader.plugin.execute import Buffers, Case, Run
from grader.plugin.inputs import extents_at, prime_extents
from grader.plugin.layouts import tensor_marks
from grader.plugin.life import LifeProblem
from grader.plugin.spec_records import Combination
from grader.simulator.records import DeviceError, Fault
from grader.verdict import State

MOST = 12  # combinations of the spec that are run, so chosen that each type of each tensor is among them
LARGEST = 1 << 22  # elements of all tensors of a case that is run: more takes too long on the simulated GPU


def went_well(run: Run) -> None:
    """``LifeProblem`` where a run failed by itself: its method says which rule owns that."""
    fault = run.fault
    if isinstance(fault, Fault) and fault.kind == "unsupported":
        raise DeviceError(State.UNSUPPORTED_HERE, fault.sentence)
    if fault is not None:
        raise LifeProblem(fault_method(run), fault_sentence(fault))
    if run.shape_status:
        raise LifeProblem("onShapeChange", f"onShapeChange() returned {run.shape_status}.")
    if run.status:
        raise LifeProblem("enqueue", f"enqueue() returned {run.status}.")
    if run.synchronized:
        raise LifeProblem("fault", f"The work that enqueue() queued ended with CUDA's error {run.synchronized}.")


def fault_method(run: Run) -> str:
    """What a fault is about: "fault", or what concerns the workspace or an output that nobody has written yet."""
    fault = run.fault
    if not isinstance(fault, Fault):  # a GPU's
        return "fault"
    if fault.kind == "uninitialised_global" and fault.buffer in run.output_names:
        return "unwritten-output"
    if fault.kind == "null_pointer" and not run.workspace:
        return "null-pointer"
    if fault.buffer == "workspace":
        return "unwritten-workspace" if fault.kind == "uninitialised_global" else "fault-in-workspace"
    return "fault"


def fault_sentence(fault) -> str:
    """The device's sentence, with the kernel's line and the first thread that did it."""
    places = []
    if not isinstance(fault, Fault):
        return fault.sentence
    if fault.line is not None:
        places.append(f"{fault.file}, line {fault.line}")
    elif fault.kernel:
        places.append(f"kernel {fault.kernel}")
    if fault.thread is not None and fault.block is not None:
        places.append(f"thread {_point(fault.thread)} of block {_point(fault.block)}")
    return f"{fault.sentence} ({'; '.join(places)})" if places else fault.sentence


def _point(point: tuple[int, int, int]) -> str:
    while len(point) > 1 and point[-1] == 0:
        point = point[:-1]
    return str(point[0]) if len(point) == 1 else str(point)


def baseline(bench: Bench, ready: Ready, case: Case, *, poison: int | None = None) -> Run:
    """What the plugin computes when nothing is in its way: each operation runs as soon as it is asked for. It is run
    twice, so that what goes wrong in later runs of a context is not blamed on what a rule does next."""
    ready.device.order("eager")
    went_well(ready.runner.run(ready.context, case, poison=poison))
    run = ready.runner.run(ready.context, case, poison=poison)
    went_well(run)
    return run


@dataclass
class Trial:
    """The first enqueue of a new process, in buffers of exactly their bytes, outputs and workspace unwritten before."""

    which: str  # "opt", "primes", "min", "max"; "max, tactic 2"
    case: Case
    run: Run
    unwritten: dict[int, int] = field(default_factory=dict)  # output -> bytes of the tensor that nobody wrote
    changed: list[str] = field(default_factory=list)  # inputs that hold something else now


def trials(bench: Bench, rng: np.random.Generator) -> Iterator[Trial]:
    """A trial for each combination of the spec at prime extents, for the first one at the usual ones and at the bounds
    too, with the plugin's first tactic. Made once for all rules."""
    for index, combination in enumerate(chosen(bench.spec.combinations(), MOST)):
        for which in ("opt", "primes", "min", "max") if index == 0 else ("primes",):
            case = bench.once(("case", index, which), lambda c=combination, w=which: _case(bench, rng, w, c))
            if case is not None:
                yield bench.once(("trial", index, which), lambda c=case, w=which: trial(bench, c, w))


def chosen(combinations: Sequence[Combination], most: int) -> list[Combination]:
    """At most so many, those first that bring a type or a format to a tensor which had it in none before."""
    seen, first, rest = set(), [], []
    for each in combinations:
        pairs = set(zip(range(len(each.types)), each.types, each.formats, strict=True))
        (first if pairs - seen else rest).append(each)
        seen |= pairs
    return [*first, *rest][:most]


def trials_of_tactics(bench: Bench, rng: np.random.Generator) -> Iterator[Trial]:
    """Those of every other tactic, at the largest and at prime extents, for the first combination."""
    first = bench.stored()
    for tactic in first.tactics[:8]:
        if tactic == first.tactic:
            continue
        for which in ("primes", "max"):
            case = bench.once(("case", 0, which), lambda w=which: _case(bench, rng, w, first.combination))
            if case is not None:
                yield bench.once(("trial", tactic, which), lambda c=case, w=which, t=tactic: _with(bench, c, w, t))


def _with(bench: Bench, case: Case, which: str, tactic: int) -> Trial:
    ready = bench.ready(stored=replace(bench.stored(), tactic=tactic))
    done = trial(bench, case, f"{which}, tactic {tactic}", ready=ready)
    ready.session.close()
    return done


def _case(bench: Bench, rng, which: str, combination: Combination) -> Case | None:
    """None for one more of the first combination that is the same as at opt, or too large."""
    spec = bench.spec
    extents = prime_extents(spec) if which == "primes" else extents_at(spec, which)
    more = which != "opt" and combination in (spec.combinations()[0], bench.stored().combination)
    if more and (extents == extents_at(spec, "opt") or _elements(bench, extents) > LARGEST):
        return None
    return bench.case(rng, extents, combination, special=not more)


def left_out(bench: Bench) -> str:
    """A remark where the largest extents are too large to be run here."""
    if _elements(bench, extents_at(bench.spec, "max")) <= LARGEST:
        return ""
    return f"The largest extents were not run: with more than {LARGEST} elements they take too long to simulate."


def _elements(bench: Bench, extents: Mapping[str, int]) -> int:
    """Of all inputs and outputs."""
    inputs = (shape for shape in bench.spec.shapes(extents).values() if shape is not None)
    outputs = upper_shapes(bench.spec, bench.stored().shapes, extents)
    return sum(map(math.prod, (*inputs, *outputs)))


def trial(bench: Bench, case: Case, which: str = "", *, ready: Ready | None = None) -> Trial:
    """Run a case in a new process, or in ``ready``. On a GPU, where processes take long to start, they share one."""
    own = ready is None and bench.device is not None and bench.trials_apart
    ready = ready or bench.ready(case.combination, session=None if own else bench.runtime())
    ready.device.order("eager")
    buffers = ready.runner.buffers(case)
    try:
        run = ready.runner.run(ready.context, case, buffers=buffers)
        if not run.well:
            return Trial(which, case, run)
        changed = ready.runner.changed_inputs(run, case)
        unwritten = _unwritten(ready, case, run, buffers) if bench.device is not None else {}
        return Trial(which, case, run, unwritten, changed)
    finally:
        bench.settle()
        if bench.device is None:
            ready.device.fault(forget=True)
        buffers.free()
        if own:
            ready.session.close()


def _unwritten(ready: Ready, case: Case, run: Run, buffers: Buffers) -> dict[int, int]:
    """How many bytes of each output's tensor nobody wrote: its padding, and rows that do not count, are left out."""
    found = {}
    for index, (address, size) in enumerate(zip(buffers.outputs, buffers.output_bytes, strict=True)):
        array, place = run.outputs[index], len(case.tensors) + index
        if not size or array is None or address in buffers.inputs:
            continue
        count, ranges = ready.device.unwritten(address, size)
        if not count:
            continue
        belongs = np.zeros(size, bool)
        marks = tensor_marks(array.shape, case.combination.types[place], case.combination.formats[place])
        belongs[: len(marks)] = marks
        if missing := sum(int(belongs[at : at + length].sum()) for at, length in ranges):
            found[index] = missing
    return found
