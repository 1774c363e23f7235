"""Workspace, outputs, inputs: which bytes enqueue() may read and must write."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench, Ready
from grader.checks.conformance.owners import FOUNDATION
from grader.checks.conformance.rule import rule
from grader.checks.conformance.trials import (
    Trial,
    fault_method,
    fault_sentence,
    left_out,
    trial,
    trials,
    trials_of_tactics,
    went_well,
)
from grader.plugin import life
from grader.plugin.execute import Run, Runner
from grader.plugin.inputs import extents_at, prime_extents
from grader.plugin.life import MOST_WORKSPACE, TOO_MUCH, LifeProblem, Stored
from grader.plugin.spec_records import Combination

GENEROUS = 16 << 20  # bytes: a run that fails with what was asked for and succeeds with these lacked workspace
RUNNABLE = 1 << 28  # bytes of workspace that are brought; the simulated GPU has 2 GiB
WORKSPACE = "NvInferRuntime.h 10.14, IPluginV3OneBuild::getWorkspaceSize"
ENQUEUE = "NvInferRuntime.h 10.14, IPluginV3OneRuntime::enqueue"


@rule(
    "workspace", group="memory", wants=("spec",), needs=FOUNDATION,
    sentence="getWorkspaceSize() returns enough for the largest extents of the profile and for everything smaller.",
    belief="desc.dims, or the extents of one example, tell how much workspace is needed.",
    source=f"{WORKSPACE}: sufficient for the given size or any smaller problem; NVIDIA/TensorRT#4263, #1222, #3284",
)  # fmt: skip
def workspace(bench: Bench, rng: np.random.Generator) -> Finding:
    spec = bench.spec
    for wanted in spec.combinations():
        if problem := _grows(bench, wanted):
            return failed(problem)
    size = bench.stored().workspace
    if bench.device is None or not bench.kernels or bench.no_kernels or size > RUNNABLE:
        return passed(f"It asks for {size} bytes; no kernel ran with them.", bytes=size)
    for each in (*trials(bench, rng), *trials_of_tactics(bench, rng)):
        if problem := _lack(bench, each, bench.stored(each.case.combination)):
            return failed(problem, case=each.case.name)
    return _fixed(bench, rng) or passed(left_out(bench), bytes=size)


def _grows(bench: Bench, wanted: Combination) -> str | None:
    """What is wrong where a plugin that is configured once wants more for less: it is not configured anew, since it may
    choose another algorithm then."""
    spec, plugin = bench.spec, bench.plugin()
    combination, shapes = life.with_outputs(plugin, spec, wanted), life.output_shapes(plugin, spec)
    life.configure(plugin, spec, combination, shapes)
    most = life.asked_workspace(plugin, spec, combination, shapes)
    if most > MOST_WORKSPACE:
        return f"getWorkspaceSize() asks for {most} bytes for {_types(combination)}: {TOO_MUCH}"
    for name, extents in (("min", extents_at(spec, "min")), ("opt", extents_at(spec, "opt")),
                          ("primes", prime_extents(spec))):  # fmt: skip
        size = life.asked_workspace(plugin, spec, combination, shapes, extents)
        if size > most:
            return (
                f"getWorkspaceSize() asks for {most} bytes with the profile's bounds, and for {size} with the smaller "
                f"extents of {name}: TensorRT brings what was asked for with max, whatever the extents are at run time."
            )
    if not plugin.creator.is_v3:
        plugin.terminate()
    plugin.end()
    return None


def _fixed(bench: Bench, rng) -> Finding | None:
    """A network whose extents are all known: what is asked for then must be enough there."""
    plugin, extents = bench.plugin(), prime_extents(bench.spec)
    stored = life.build(plugin, bench.spec, fixed=extents)
    plugin.end()
    if stored.workspace in (0, bench.stored().workspace):
        return None
    session = bench.fresh()
    revived = life.revive(session, stored)
    runner = Runner(bench.device_of(session), bench.spec, stored.shapes, stored.workspace)
    ready = Ready(session, revived, life.attach(revived), runner, stored)
    case = bench.case(rng, extents)
    problem = _lack(bench, trial(bench, case, "primes", ready=ready), stored)
    session.close()
    return failed(problem, case=case.name) if problem else None


def _lack(bench: Bench, done: Trial, stored: Stored) -> str | None:
    """What is wrong where a run did not have enough workspace."""
    run, size = done.run, stored.workspace
    at = f"{done.case.name} ({done.which})"
    if run.fault is not None and fault_method(run) == "fault-in-workspace":
        return f"{fault_sentence(run.fault)} getWorkspaceSize() asked for {size} bytes; at {at} it needs more."
    if run.well or size >= GENEROUS:
        return None
    tactic = int(done.which.partition("tactic ")[2] or stored.tactic)
    ready = bench.ready(stored=replace(stored, tactic=tactic))
    ready.runner.workspace = GENEROUS
    again = trial(bench, done.case, ready=ready)
    ready.session.close()
    if not again.run.well:
        return None
    if size == 0:
        return (
            "getWorkspaceSize() returns 0, and enqueue() needs a workspace. Where the class has a getWorkspaceSize(), "
            "mark it `override`: with the parameters of IPluginV2 it is another method, which nobody calls."
        )
    return f"getWorkspaceSize() asks for {size} bytes, and at {at} enqueue() works only with more."


@rule(
    "workspace-poison", group="memory", level="L1", wants=("spec",), on_gpu=False,
    sentence="enqueue() expects nothing in the workspace: it writes each byte before it reads it, in every run.",
    belief="The workspace is zero, or holds what the last run left there.",
    source=f"{ENQUEUE} (workspace); NVIDIA/TensorRT#2291: TensorRT manages the workspace, and layers share it",
)  # fmt: skip
def workspace_poison(bench: Bench, rng) -> Finding:
    for each in (*trials(bench, rng), *trials_of_tactics(bench, rng)):
        if each.run.fault is not None and fault_method(each.run) == "unwritten-workspace":
            return failed(_unwritten_workspace(each.run), case=each.case.name)
    if bench.stored().workspace == 0:
        return passed("The plugin asks for no workspace.")
    case, ready = bench.case(rng), bench.ready()
    seen = []
    for poison in (None, None, 0x00, 0x7F):
        buffers = ready.runner.buffers(case)
        if poison is not None:
            ready.device.write(buffers.workspace, bytes([poison]) * buffers.workspace_bytes)
        run = ready.runner.run(ready.context, case, buffers=buffers)
        buffers.free()
        seen.append(run)
        if run.fault is not None and fault_method(run) == "unwritten-workspace":
            return failed(f"In a later run of a context: {_unwritten_workspace(run)}")
        went_well(run)
        if not _same_arrays(run, seen[0]):
            return failed("The results depend on what the workspace held before enqueue(): write it first, each time.")
    ready.session.close()
    return passed()


def _unwritten_workspace(run: Run) -> str:
    return (
        f"{fault_sentence(run.fault)} The workspace holds anything: other layers use the same memory. Zero what needs "
        "to be zero with cudaMemsetAsync() on the stream."
    )


@rule(
    "outputs-written", group="memory", level="L1", wants=("spec",), on_gpu=False,
    sentence="enqueue() writes every byte of its outputs, and reads none of them before.",
    belief="Outputs are zero at first.",
    source=f"{ENQUEUE} (outputs): it does not say that they hold anything; NVIDIA/TensorRT#2710, #3313 (the symptom; "
    "no cause was confirmed)",
)  # fmt: skip
def outputs_written(bench: Bench, rng) -> Finding:
    for each in trials(bench, rng):
        if each.run.fault is not None and fault_method(each.run) == "unwritten-output":
            return failed(
                f"{fault_sentence(each.run.fault)} An output holds anything before enqueue(): zero it on the stream "
                "before something is added to it."
            )
        went_well(each.run)
        for index, count in each.unwritten.items():
            name, size = each.run.output_names[index], len(each.run.data[index])
            return failed(
                f"{count} of {size} bytes of output {name} are not written at {each.case.name}: they hold what was "
                "there before."
            )
    return _poisoned(bench, rng)


def _poisoned(bench: Bench, rng) -> Finding:
    case, ready, runs = bench.case(rng), bench.ready(), []
    for poison in (0x00, 0x7F):
        buffers = ready.runner.buffers(case)
        for address, size in zip(buffers.outputs, buffers.output_bytes, strict=True):
            if size and address not in buffers.inputs:
                ready.device.write(address, bytes([poison]) * size)
        runs.append(ready.runner.run(ready.context, case, buffers=buffers))
        buffers.free()
        went_well(runs[-1])
    ready.session.close()
    if not _same_arrays(*runs):
        return failed("The results depend on what the outputs held before enqueue().")
    return passed()


@rule(
    "inputs-unchanged", group="memory", level="L1", wants=("spec",),
    sentence="enqueue() leaves its inputs as they are.",
    belief="An input that is not needed any more can serve as scratch memory.",
    source=f"{ENQUEUE} (void const* const* inputs); IPluginV3OneBuildV2::getAliasedInput is the way to work in place",
)  # fmt: skip
def inputs_unchanged(bench: Bench, rng) -> Finding:
    for each in trials(bench, rng):
        went_well(each.run)
        if each.changed:
            return failed(
                f"Input {each.changed[0]} holds something else after enqueue(), at {each.case.name}: other layers may "
                "read the same tensor. Write to an output or to the workspace."
            )
    return passed()


@rule(
    "bounds", group="memory", level="L1", wants=("spec",), needs=FOUNDATION,
    sentence="No kernel touches memory beyond its tensors, at the smallest, usual, largest and at prime extents.",
    belief="The extents are multiples of the block, or those of one example.",
    source="CUDA C++ Programming Guide 13.0, Device Memory; Compute Sanitizer 13.0, Memcheck; NVIDIA/TensorRT#2827, "
    "#1875, #3105",
)  # fmt: skip
def bounds(bench: Bench, rng) -> Finding:
    for each in (*trials(bench, rng), *trials_of_tactics(bench, rng)):
        if each.run.fault is None:
            continue
        if problem := _lack(bench, each, bench.stored(each.case.combination)):
            raise LifeProblem("fault-in-workspace", problem)
        try:
            went_well(each.run)
        except LifeProblem as found:
            if found.method not in ("fault", "null-pointer"):  # another rule's, which says it in these words
                raise
            raise LifeProblem(found.method, f"{found.sentence} It ran at {each.case.name}.") from None
    return passed(left_out(bench))


def _same_arrays(first: Run, second: Run) -> bool:
    """Whether the tensors are the same, whatever their padding and the rows that do not count hold."""
    pairs = zip(first.outputs, second.outputs, strict=True)
    return all(a is None or b is None or (a.shape == b.shape and a.tobytes() == b.tobytes()) for a, b in pairs)


def _types(combination: Combination) -> str:
    return ", ".join(combination.types)
