"""Types and shapes of outputs, size tensors, configuration with wildcards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.rule import rule
from grader.checks.conformance.trials import trials
from grader.plugin import expressions, life
from grader.plugin.arguments import at_build, bindings, shape_symbols, symbols
from grader.plugin.execute import make_case
from grader.plugin.inputs import extents_at, prime_extents, zero_extents
from grader.plugin.layouts import candidates
from grader.plugin.objects import Plugin
from grader.plugin.records import LINEAR, Descriptor, Shapes, SizeTensor
from grader.plugin.session import PluginEnded
from grader.plugin.spec_records import FORMATS, Output
from grader.plugin.types import TYPES, tensor_type

_NO_NUMBER = -(1 << 63)  # IDimensionExpr::getConstantValue of what is no constant (NvInferRuntime.h 10.14)
SIZE_TYPES = ("int32", "int64")
_BUILD = "NvInferRuntime.h 10.14, IPluginV3OneBuild"
Extents = Mapping[str, int]


@rule(
    "output-types", group="shapes", wants=("spec",), needs=("creators",),
    sentence="getOutputDataTypes() succeeds, writes a type for every output, and each is one that the plugin accepts.",
    belief="The output's type is settled by supportsFormatCombination() alone.",
    source=f"{_BUILD}::getOutputDataTypes: each must have a format that is supported; the types of the inputs are "
    "those of a strongly typed network, the only kind since TensorRT 11",
)  # fmt: skip
def output_types(bench: Bench, rng) -> Finding:
    plugin, spec = bench.plugin(), bench.spec
    count = plugin.output_count()
    if count < 1:
        return failed(f"getNbOutputs() returns {count}; it must be positive.")
    if spec.outputs and count != len(spec.outputs):
        return failed(f"getNbOutputs() returns {count}; the spec has {len(spec.outputs)} outputs.")
    for wanted in spec.combinations():
        inputs = wanted.types[: len(spec.tensors)]
        shown = ", ".join(inputs)
        status, numbers = plugin.output_types([TYPES[name].tensor for name in inputs], count)
        if status != 0:
            return failed(f"getOutputDataTypes() returns {status} for inputs of {shown}.")
        if problem := _types_problem(bench, plugin, inputs, numbers, wanted.types[len(inputs) :]):
            return failed(f"For inputs of {shown}, {problem}")
    plugin.end()
    return passed()


def _types_problem(bench: Bench, plugin: Plugin, inputs, numbers: list[int], wanted: tuple[str, ...]) -> str | None:
    for index, number in enumerate(numbers):
        name = tensor_type(number)
        if number == -1:
            return f"getOutputDataTypes() leaves the type of output {index} unwritten: write outputTypes[{index}]."
        if name is None:
            return f"getOutputDataTypes() writes {number} for output {index}, which is no DataType."
        if wanted and name != wanted[index]:
            return f"getOutputDataTypes() says {name} for output {_name(bench, index)}; the spec says {wanted[index]}."
    if not _acceptable(bench, plugin, inputs, numbers):
        shown = ", ".join(tensor_type(number) or "?" for number in numbers)
        return (
            f"getOutputDataTypes() says {shown}, and supportsFormatCombination() accepts no format of these types: the "
            "two methods must agree."
        )
    return None


def _acceptable(bench: Bench, plugin: Plugin, inputs: tuple[str, ...], numbers: list[int]) -> bool:
    """Whether these output types are accepted in some formats, asked with every entry filled in. Input types that the
    plugin refuses whatever the outputs are belong to another rule."""
    shapes = life.output_shapes(plugin, bench.spec)
    kinds = [*(TYPES[name].tensor for name in inputs), *numbers]
    ranks = [*map(len, symbols(bench.spec)), *(len(row or ()) for row in shapes.outputs)]
    rows = [Descriptor(kind, (-1,) * rank, LINEAR, (1,) * rank, (2,) * rank, (4,) * rank)
            for kind, rank in zip(kinds, ranks, strict=True)]  # fmt: skip
    count = len(inputs)
    given = [_offered(rank, kind) for kind, rank in zip(kinds, ranks, strict=True)]
    if plugin.combinations(rows, count, given, 1)[0]:
        return True
    free = [*given[:count], *(_offered(rank) for rank in ranks[count:])]
    return not plugin.combinations(rows, count, free, 1)[0]


def _offered(rank: int, kind: int | None = None) -> list[tuple[int, int]]:
    """(type, format) pairs for a tensor of this rank; of the one type where it is given."""
    pairs = [(TYPES[name].tensor, FORMATS.index(layout)) for name, layout in candidates(rank)]
    return [pair for pair in pairs if kind in (None, pair[0])] or [(kind, LINEAR)]


@rule(
    "shapes", group="shapes", wants=("spec",), needs=("creators",),
    sentence="getOutputShapes() gives the outputs' shapes at the smallest, usual, largest and at prime extents, and at "
    "extents of 0.",
    belief="What holds for the shapes of one example holds for all.",
    source=f"{_BUILD}::getOutputShapes; NVIDIA/TensorRT#854, #863, #1880",
)  # fmt: skip
def shapes_rule(bench: Bench, rng: np.random.Generator) -> Finding:
    spec = bench.spec
    for name, extents in points(bench):
        plugin = bench.plugin()  # what it has learnt of other extents must not help it
        shapes = _at_constants(plugin, bench, extents)
        plugin.end()
        where = f"{name}: {_shown(extents)}"
        if shapes.status != 0:
            return failed(f"getOutputShapes() returns {shapes.status} for {where}.")
        expected = _expected(bench, shapes, extents, rng)
        sizes = {size.output for size in shapes.size_tensors()}
        expected = [None if index in sizes else each for index, each in enumerate(expected)]  # see size-tensor
        for index, row in enumerate(shapes.outputs):
            if problem := _shape_problem(shapes, index, row, expected[index], extents):
                output = _name(bench, index)
                return failed(f"getOutputShapes() gives output {output} {problem}, at {where}.", extents=dict(extents))
    return passed("" if spec.reference or spec.outputs else "There is no reference to compare the shapes with.")


def _shape_problem(shapes: Shapes, index: int, row, expected, extents: Extents) -> str | None:
    if row is None:
        return "no shape at all"
    if None in row:
        return f"no expression for axis {row.index(None)}"
    got = shapes.extents(index, extents)
    if any(each is None or each < 0 for each in got):
        return f"the shape {_tuple(got)}, which is none"
    if expected is None:
        return None
    if len(expected) != len(got):
        return f"{len(got)} axes instead of {len(expected)}, {_tuple(got)} instead of {_tuple(expected)}"
    free = [shapes.size_tensor_of(node) is not None for node in row]
    if any(
        not is_free and want is not None and have != want
        for is_free, have, want in zip(free, got, expected, strict=True)
    ):
        return f"the shape {_tuple(got)} instead of {_tuple(expected)}"
    return None


def _expected(bench: Bench, shapes: Shapes, extents: Extents, rng) -> list[tuple[int | None, ...] | None]:
    """The right shape of each output: the reference's, else the spec's, else None; None for an extent not known."""
    spec = bench.spec
    if spec.reference:
        return [array.shape for array in bench.expected(make_case(spec, spec.combinations()[0], extents, rng))]
    if len(spec.outputs) == len(shapes.outputs):
        return [_declared(output, extents) for output in spec.outputs]
    return [None] * len(shapes.outputs)


def _declared(output: Output, extents: Extents) -> tuple[int | None, ...] | None:
    if output.shape is None:
        return () if output.size_tensor else None
    return tuple(
        None if output.rows in expressions.names(each) else expressions.value(each, extents) for each in output.shape
    )


@rule(
    "shapes-wildcard", group="shapes", wants=("spec",), needs=("shapes",),
    sentence="getOutputShapes() works on extents that are not known yet and builds expressions of them: none is baked "
    "in.",
    belief="The extents are numbers when getOutputShapes() is called.",
    source=f"{_BUILD}::getOutputShapes, IDimensionExpr::isConstant and getConstantValue; NVIDIA/TensorRT#854 (a "
    "constant -1 for what is not known)",
)  # fmt: skip
def shapes_wildcard(bench: Bench, rng) -> Finding:
    plugin, spec = bench.plugin(), bench.spec
    unknown = plugin.output_shapes(symbols(spec), plugin.output_count(), shape_symbols(spec))
    if unknown.status != 0:
        return failed(f"getOutputShapes() returns {unknown.status} where extents are unknown, as in most builds.")
    for name, extents in points(bench):
        known = _at_constants(plugin, bench, extents)
        if known.status != 0:
            return failed(f"getOutputShapes() returns {known.status} for {name}, asked a second time.")
        for index, row in enumerate(unknown.outputs):
            if row is None or None in row:
                return failed(f"getOutputShapes() leaves out a shape of output {_name(bench, index)} where extents "
                              "are unknown.")  # fmt: skip
            left = unknown.extents(index, bindings(spec, extents))
            right = known.extents(index, extents)
            if left != right and _NO_NUMBER in left:
                return failed(
                    f"getOutputShapes() makes an extent of output {_name(bench, index)} of getConstantValue() where it "
                    f"is not known yet: that is {_NO_NUMBER}, no extent. Build expressions with the IExprBuilder."
                )
            if left != right:
                return failed(
                    f"Asked with unknown extents, getOutputShapes() gives output {_name(bench, index)} the shape "
                    f"({', '.join(map(unknown.text, row))}), which is {_tuple(left)} at {_shown(extents)}; asked with "
                    f"these extents it says {_tuple(right)}. Build expressions with the IExprBuilder; "
                    "getConstantValue() of an unknown extent is no number."
                )
    plugin.end()
    return passed()


@rule(
    "size-tensor", group="shapes", wants=("spec",), needs=("shapes", "shapes-wildcard", "output-types"),
    sentence="Each data-dependent extent is declared with the index of a 0-D int32 output, a bound that is large "
    "enough, and a usual value within it.",
    belief="declareSizeTensor() takes the bound first, and the index of the output that has the extent.",
    source=f"NvInferRuntime.h 10.14, IExprBuilder::declareSizeTensor; {_BUILD}::getOutputDataTypes (kINT32; NVIDIA's "
    "developer guide 10.x allows INT64 too, so either passes here)",
)  # fmt: skip
def size_tensor(bench: Bench, rng) -> Finding:
    spec, plugin = bench.spec, bench.plugin()
    shapes = life.output_shapes(plugin, spec)
    inputs = spec.combinations()[0].types[: len(spec.tensors)]
    _, types = plugin.output_types([TYPES[name].tensor for name in inputs], len(shapes.outputs))
    plugin.end()
    declared = shapes.size_tensors()
    for size in declared:
        if problem := _declaration_problem(bench, shapes, size, types):
            return failed(problem)
    meant = {index for index, output in enumerate(spec.outputs) if output.size_tensor}
    if spec.outputs and meant != {size.output for size in declared}:
        names = ", ".join(spec.outputs[index].name for index in meant) or "none"
        found = ", ".join(spec.outputs[size.output].name for size in declared) or "none"
        return failed(f"The spec's size tensors are {names}; declareSizeTensor() was called for {found}.")
    if declared and bench.device is not None and bench.kernels and not bench.no_kernels:
        if problem := _value_problem(bench, shapes, declared, rng):
            return failed(problem)
    return passed("" if declared else "The plugin has no data-dependent extent.")


def _value_problem(bench: Bench, shapes: Shapes, declared, rng) -> str | None:
    """A value beyond its bound, of the runs that went well; what else went wrong in a run is another rule's."""
    try:
        for each in trials(bench, rng):
            known = bindings(bench.spec, each.case.extents)
            for size in declared if each.run.well else ():
                value, upper = each.run.sizes.get(size.output), shapes.evaluate(size.upper, known)
                if value is not None and not 0 <= value <= upper:
                    what = f"the size tensor {_name(bench, size.output)}, whose bound is {upper}"
                    return f"enqueue() writes {value} to {what}, at {each.case.name}."
    except (PluginEnded, life.LifeProblem):
        pass
    return None


def _declaration_problem(bench: Bench, shapes: Shapes, size: SizeTensor, types: list[int]) -> str | None:
    if not 0 <= size.output < len(shapes.outputs):
        return f"declareSizeTensor() names output {size.output}; the plugin has {len(shapes.outputs)}."
    name, row = _name(bench, size.output), shapes.outputs[size.output]
    if row:
        return (
            f"Output {name} is declared as a size tensor and has the rank {len(row)}: a size tensor is 0-D. The first "
            "argument of declareSizeTensor() is the index of the output that enqueue() writes the extent to."
        )
    if tensor_type(types[size.output]) not in SIZE_TYPES:
        return f"The size tensor {name} has the type {tensor_type(types[size.output])}: it must be INT32."
    if size.opt is None or size.upper is None:
        return f"declareSizeTensor() for {name} was given an expression that is not of this call."
    if shapes.size_tensor_of(size.opt):
        return f"The usual value of the size tensor {name} depends on a size tensor, which has no value at build time."
    for at, extents in points(bench):
        known = bindings(bench.spec, extents)
        opt, upper = shapes.evaluate(size.opt, known), shapes.evaluate(size.upper, known)
        if opt is None or upper is None or upper < 0 or not 0 <= opt <= upper:
            return (
                f"The size tensor {name} is declared as usually {opt} and at most {upper} for {at} "
                f"({_shown(extents)}): declareSizeTensor(index, opt, upper) wants opt first, and within the bound."
            )
    return None


@rule(
    "configure", group="shapes", wants=("spec",), needs=("formats-complete", "shapes-wildcard"),
    sentence="configurePlugin() succeeds for every combination, with unknown extents as -1 beside the profile's "
    "bounds, and with fixed ones.",
    belief="desc.dims holds the extents when configurePlugin() is called.",
    source=f"{_BUILD}::configurePlugin and IPluginV2DynamicExt::configurePlugin: wildcard dimensions may exist in "
    "desc.dims; NVIDIA/TensorRT#1222",
)  # fmt: skip
def configure(bench: Bench, rng) -> Finding:
    plugin, spec = bench.plugin(), bench.spec
    shapes = life.output_shapes(plugin, spec)
    for wanted in spec.combinations():
        combination = life.with_outputs(plugin, spec, wanted)
        for fixed in (None, extents_at(spec, "opt")):
            tensors = at_build(spec, combination, shapes, fixed)
            if status := plugin.configure(tensors.inputs, tensors.outputs):
                how = "-1 for unknown extents in desc.dims" if fixed is None else _shown(fixed)
                return failed(
                    f"configurePlugin() returns {status} for {', '.join(combination.types)} with {how}: while an "
                    "engine is built, read min, opt and max, not desc.dims."
                )
    plugin.end()
    return passed()


def points(bench: Bench) -> Iterator[tuple[str, dict[str, int]]]:
    """Extents at which shapes are looked at, with a name for each."""
    spec, seen = bench.spec, []
    named = [(f"the extents of {which}", extents_at(spec, which)) for which in ("min", "opt", "max")]
    named.append(("prime extents", prime_extents(spec)))
    for name, extents in [*named, *((f"{n} = 0", e) for n, e in zero_extents(spec))]:
        if extents not in seen:
            seen.append(extents)
            yield name, extents


def _at_constants(plugin: Plugin, bench: Bench, extents: Extents) -> Shapes:
    known = bindings(bench.spec, extents)
    inputs, values = (
        [[each if isinstance(each, int) else known[each] for each in shape] for shape in rows]
        for rows in (symbols(bench.spec), shape_symbols(bench.spec))
    )
    return plugin.output_shapes(inputs, plugin.output_count(), values)


def _name(bench: Bench, index: int) -> str:
    outputs = bench.spec.outputs
    return outputs[index].name if index < len(outputs) else str(index)


def _shown(extents: Extents) -> str:
    return ", ".join(f"{name} = {value}" for name, value in extents.items()) or "fixed extents"


def _tuple(row) -> str:
    return f"({', '.join('?' if each is None else str(each) for each in row)})"
