"""Results: against the reference, at extents of 0, after a change of shape, in every format, in place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.compare import difference
from grader.checks.conformance.rule import rule
from grader.checks.conformance.rules.formats import accepted, text
from grader.checks.conformance.rules.memory import ENQUEUE
from grader.checks.conformance.trials import chosen, fault_method, fault_sentence, trial, trials, went_well
from grader.plugin import life
from grader.plugin.arguments import bindings
from grader.plugin.execute import Case, Run
from grader.plugin.inputs import extents_at, prime_extents, zero_extents
from grader.plugin.layouts import fits
from grader.plugin.reference import ReferenceFailed
from grader.plugin.spec_records import Combination, Output
from grader.plugin.types import TYPES

MOST_FORMATS = 24  # combinations that are run beside those of the spec
_FORMATS = "NvInferRuntime.h 10.14, IPluginV3OneBuild::supportsFormatCombination, TensorFormat"
_SHAPES = "NvInferRuntime.h 10.14, IPluginV3OneRuntime::onShapeChange"


@rule(
    "values", group="values", level="L1", wants=("spec", "reference"), seeded=True,
    sentence="The outputs are what the reference computes, for each combination of types, at several extents.",
    belief="What is right in FP32 for one shape is right.",
    source="the spec's reference; NVIDIA/TensorRT#1970, #1647",
)  # fmt: skip
def values(bench: Bench, rng: np.random.Generator) -> Finding:
    for each in trials(bench, rng):
        went_well(each.run)
        if problem := wrong(bench, each.case, each.run, bench.expected(each.case)):
            return failed(f"{problem}, at {each.case.name}.", case=each.case.name)
    return passed()


def wrong(bench: Bench, case: Case, run: Run, expected: Sequence[np.ndarray | None]) -> str | None:
    """The first output that differs, as the beginning of a sentence."""
    for index, (output, right) in enumerate(zip(_outputs(bench, len(expected)), expected, strict=True)):
        if right is None:
            continue
        kind = case.combination.types[len(case.tensors) + index]
        got = run.outputs[index] if index < len(run.outputs) else None
        if problem := difference(bench.spec, output, kind, got, right):
            return f"Output {output.name} {problem}"
    return None


def _outputs(bench: Bench, count: int) -> Sequence[Output]:
    outputs = bench.spec.outputs
    return outputs if len(outputs) == count else [Output(str(index), "float32") for index in range(count)]


@rule(
    "values-zero", group="values", level="L1", wants=("spec",), needs=("status",),
    sentence="Tensors without elements are taken: enqueue() returns 0, launches no empty grid, and needs no pointers.",
    belief="There is always something to do.",
    source="NVIDIA/TensorRT#2833: for empty tensors, some plugins get null pointers and others do not; CUDA Runtime "
    "API 13.0: cudaLaunchKernel() refuses a grid with an extent of 0 (cudaErrorInvalidConfiguration)",
)  # fmt: skip
def values_zero(bench: Bench, rng) -> Finding:
    tried = 0
    for name, extents in zero_extents(bench.spec):
        ready, case = bench.ready(session=bench.runtime()), bench.case(rng, extents)
        for pointers in ("null pointers", "pointers to no bytes"):
            buffers = ready.runner.buffers(case)
            if pointers == "null pointers":
                _without_empty(buffers, ready.runner.sizes_of_inputs(case))
            run = ready.runner.run(ready.context, case, buffers=buffers)
            buffers.free()
            bench.settle()
            if problem := _zero_problem(bench, case, run):
                return failed(f"With {name} = 0 and {pointers} for what is empty, {problem}", case=case.name)
        tried += 1
    return passed("" if tried else "The spec allows no extent of 0.")


def _without_empty(buffers, input_bytes: Sequence[int]) -> None:
    buffers.inputs = [a if size else None for a, size in zip(buffers.inputs, input_bytes, strict=True)]
    buffers.outputs = [a if size else None for a, size in zip(buffers.outputs, buffers.output_bytes, strict=True)]


def _zero_problem(bench: Bench, case: Case, run: Run) -> str | None:
    refused = next((r for r in run.calls if r.status and "aunch" in r.call), None)
    if refused is not None:
        grid = refused.arguments.get("grid")
        what = f"a grid of {'×'.join(map(str, grid))}" if grid else f"{refused.call}()"
        return f"CUDA refuses {what} with error {refused.status}: return early where there is nothing to do."
    if run.fault is not None:
        return f"a kernel goes wrong: {fault_sentence(run.fault)}"
    if run.shape_status or run.status or run.synchronized:
        method = "onShapeChange()" if run.shape_status else "enqueue()" if run.status else "the work on the stream"
        status = run.shape_status or run.status or run.synchronized
        return f"{method} ends with {status}: such tensors occur at run time, and are no error."
    if bench.spec.reference is None:
        return None
    problem = wrong(bench, case, run, bench.expected(case))
    return f"the result is not right. {problem}." if problem else None


@rule(
    "shape-change", group="values", level="L1", wants=("spec",),
    sentence="One context computes right after every change of shape, up and down.",
    belief="The shapes of the first run, or of the build, stay.",
    source=f"{_SHAPES}; {ENQUEUE} (inputDesc, outputDesc); NVIDIA/TensorRT#4238",
)  # fmt: skip
def shape_change(bench: Bench, rng) -> Finding:
    alone = {}
    for each in trials(bench, rng):
        if each.case.combination == bench.stored().combination:
            went_well(each.run)
            alone[each.which] = each
    ready, before = bench.ready(), None
    for which in ("min", "max", "primes", "opt", "min"):
        if which not in alone:
            continue
        case, right = alone[which].case, alone[which].run
        run = trial(bench, case, ready=ready).run
        told = f"{case.name}, after a run at {before}" if before else case.name
        if run.fault is not None and fault_method(run) == "fault":
            return failed(f"At {told}, a kernel goes wrong: {fault_sentence(run.fault)}")
        if run.fault is not None:
            went_well(run)
        if not run.well:
            return failed(f"At {told}, enqueue() or onShapeChange() fails; in a new context it does not.")
        if problem := wrong(bench, case, run, right.outputs):
            return failed(
                f"{problem}, at {told}; a new context computes it as expected. Take the shapes from inputDesc and "
                "outputDesc in enqueue(), or from onShapeChange() each time."
            )
        before = case.name
    ready.session.close()
    return passed()


@rule(
    "formats-truth", group="values", level="L1", wants=("spec",), needs=("formats-peek", "formats-deterministic"),
    sentence="Every combination of types and formats that is accepted is computed right.",
    belief="Accepting more formats gives TensorRT more freedom and costs nothing.",
    source=f"{_FORMATS}; NVIDIA/TensorRT#1970, #1647, #3482",
)  # fmt: skip
def formats_truth(bench: Bench, rng) -> Finding:
    named = {each.types: each for each in bench.spec.combinations() if set(each.formats) == {"linear"}}
    ran = 0
    for combination in _worth_running(bench):
        case = _case(bench, rng, combination)
        expected = None if case is None else _expected(bench, rng, case, named)
        if expected is None:
            continue
        run = trial(bench, case, ready=bench.ready(combination, session=bench.runtime())).run
        ran += 1
        if run.fault is not None:
            return failed(f"For {text(combination)}, which is accepted: {fault_sentence(run.fault)}")
        if not run.well:
            return failed(f"supportsFormatCombination() accepts {text(combination)}, and enqueue() does not take it.")
        if problem := wrong(bench, case, run, expected):
            return failed(
                f"{problem}, for {text(combination)} at {case.name}: accept only types and formats that the kernels "
                "read and write as they lie in memory.",
                combination=text(combination),
            )
    return passed(f"{ran} combinations beside those of the spec were run." if ran else "", combinations=ran)


def _worth_running(bench: Bench) -> list[Combination]:
    """Accepted combinations beside those of the spec: at most so many, each pair of type and format among them."""
    named = {life.with_outputs(bench.plugin(), bench.spec, each) for each in bench.spec.combinations()}
    listed = [kind for each in bench.spec.tensors for kind in each.types]
    others = [
        each for each in accepted(bench) if each not in named
        and all(TYPES[kind].floating or kind in listed for kind in each.types[: len(bench.spec.tensors)])
    ]  # fmt: skip  # integers that the spec does not list may be quantized values: nobody says what is right for them
    return chosen(others, MOST_FORMATS)


def _case(bench: Bench, rng, combination: Combination) -> Case | None:
    """None where a tensor cannot be laid out here."""
    return bench.case(rng, prime_extents(bench.spec), combination) if _laid_out(bench, combination) else None


def _laid_out(bench: Bench, combination: Combination) -> bool:
    stored, known = bench.stored(), bindings(bench.spec, prime_extents(bench.spec))
    shapes = [
        *([each if isinstance(each, int) else known[each] for each in tensor.shape] for tensor in bench.spec.tensors),
        *(stored.shapes.extents(index, known) for index in range(len(stored.shapes.outputs))),
    ]
    rows = zip(shapes, combination.types, combination.formats, strict=True)
    return all(fits(tuple(shape), kind, layout) for shape, kind, layout in rows)


def _expected(bench: Bench, rng, case: Case, named) -> Sequence[np.ndarray | None] | None:
    """What is right for these inputs: the plugin's own linear result where the spec names these types, else the
    reference's; None where neither says."""
    if case.combination.types in named:
        linear = bench.stored(named[case.combination.types]).combination
        same = Case(case.name, linear, case.extents, case.inputs)
        run = trial(bench, same, ready=bench.ready(linear, session=bench.runtime())).run
        went_well(run)
        return run.outputs
    try:
        return bench.expected(case) if bench.spec.reference else None
    except ReferenceFailed:
        return None


@rule(
    "aliasing", group="values", family="V3", wants=("spec",), needs=("output-types", "shapes", "shapes-wildcard"),
    sentence="getAliasedInput() names an input of the same type and shape, each for one output at most, or -1.",
    belief="An output may share the memory of any input, and several may share one.",
    source="NvInferRuntime.h 10.14, IPluginV3OneBuildV2::getAliasedInput (that type and shape are the same follows "
    "from sharing the memory); NvInfer.h, PreviewFeature::kALIASED_PLUGIN_IO_10_03",
)  # fmt: skip
def aliasing(bench: Bench, rng) -> Finding:
    plugin, spec = bench.plugin(), bench.spec
    names = [each.name for each in spec.tensors]
    shapes, taken = life.output_shapes(plugin, spec), {}
    outputs = _outputs(bench, len(shapes.outputs))
    for index, output in enumerate(outputs):
        which, again = plugin.aliased_input(index), plugin.aliased_input(index)
        if which != again:
            return failed(f"getAliasedInput({index}) returns {which}, then {again}.")
        if not -1 <= which < len(names):
            most = len(names) - 1
            return failed(f"getAliasedInput({index}) returns {which}: it must be an input, 0 to {most}, or -1.")
        name = None if which < 0 else names[which]
        if spec.outputs and name != output.aliases:
            return failed(
                f"The spec says that output {output.name} shares the memory of {output.aliases or 'no input'}; "
                f"getAliasedInput({index}) says {name or -1}. An output is written in place only where "
                "IPluginV3OneBuildV2 says so."
            )
        if name is None:
            continue
        if which in taken:
            return failed(f"Outputs {taken[which]} and {index} both share the memory of input {name}: only one may.")
        taken[which] = index
        if problem := _alias_problem(bench, plugin, shapes, index, which):
            return failed(f"Output {output.name} shares the memory of input {name} and {problem}.")
    plugin.end()
    return passed("" if taken else "No output shares the memory of an input.")


def _alias_problem(bench: Bench, plugin, shapes, index: int, which: int) -> str | None:
    spec = bench.spec
    for combination in spec.combinations():
        inputs = [TYPES[kind].tensor for kind in combination.types[: len(spec.tensors)]]
        _, types = plugin.output_types(inputs, len(shapes.outputs))
        if types[index] != inputs[which]:
            return "has another type"
    for at in ("min", "opt", "max"):
        known = bindings(spec, extents_at(spec, at))
        shape = tuple(each if isinstance(each, int) else known[each] for each in spec.tensors[which].shape)
        if shapes.extents(index, known) != shape:
            return f"has the shape {shapes.extents(index, known)} instead of {shape}"
    return None
