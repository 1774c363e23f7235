"""What the chapter's plugins must do besides what rules ask."""

from __future__ import annotations

from grader.checks import Finding, failed, passed
from grader.checks.conformance.compare import difference
from grader.checks.conformance.rules.formats import accepted, text
from grader.checks.conformance.runs import run_context
from grader.plugin import life
from grader.plugin.arguments import attribute_fields
from grader.plugin.records import Descriptor
from grader.plugin.session import RUNTIME
from grader.plugin.types import TYPES, field_type

_FLOAT = TYPES["float32"].tensor
_MANY = (1 << 16, 1 << 16, 1)  # 2^32 elements: 0 for who counts in 32 bits
_OUT_OF_RESOURCES = 701  # a status of CUDA's


def fp32_alone(bench, rng) -> Finding:
    for found in accepted(bench.conformance):
        if {*found.types} != {"float32"} or {*found.formats} != {"linear"}:
            return failed(
                f"supportsFormatCombination() accepts {text(found)}. The kernel reads and writes FP32, one element "
                "after the other; whatever else TensorRT then hands over, it would take for that."
            )
    return passed()


def count_in_64_bits(bench, rng) -> Finding:
    """An enqueue with descriptors of 2^32 elements whose launch is made to fail before anything runs: who comes to a
    launch at all hears of it."""
    bench = bench.conformance
    ready, case = bench.ready(), bench.case(rng)
    buffers, stream = ready.runner.buffers(case), ready.device.stream()
    many = [Descriptor(_FLOAT, _MANY)]
    ready.device.fail_next_launch(_OUT_OF_RESOURCES)
    status = ready.context.enqueue(many, many, buffers.inputs, buffers.outputs, 0, stream)
    ready.device.synchronize(stream)
    if status == 0:
        return failed(
            "For a tensor of 65,536 x 65,536 x 1 elements enqueue() launches nothing and returns 0: counted in 32 "
            "bits, 2³² elements are none. Extents are int64_t; so must be their product."
        )
    return passed()


def default(bench, rng) -> Finding:
    """The plugin itself runs, not a copy of it: what a copy knows is another check's."""
    bench = bench.conformance
    session, case, [attribute] = bench.session(), bench.case(rng), bench.spec.attributes
    told = f"{attribute.name} = {attribute.default:g}"
    plugin = session.create(life.find_creator(session, bench.spec), [])
    if plugin is None:
        return failed(f"Given no field, createPlugin() returns null in the build phase: the default is {told}.")
    stored = life.build(plugin, bench.spec)
    plugin.set_tactic(stored.tactic)
    run = run_context(bench, plugin, stored, case)
    if not run.well:
        return failed(f"A plugin that was made without fields does not run: enqueue() returned {run.status}.")
    [right] = bench.expected(case, {attribute.name: attribute.default})
    problem = difference(bench.spec, bench.spec.outputs[0], "float32", run.outputs[0], right)
    return failed(f"Given no field, the plugin must compute with {told}; y {problem}.") if problem else passed()


def refuses_an_empty_plan(bench, rng) -> Finding:
    bench = bench.conformance
    session = bench.session()
    plugin = session.create(life.find_creator(session, bench.spec), [], RUNTIME)
    if plugin is None:
        return passed()
    plugin.end()
    return failed(
        "createPlugin() with kRUNTIME and no field makes a plugin. The fields of a plan are those that "
        "getFieldsToSerialize() gave; what is missing there was lost, and a default would compute something else."
    )


def one_in_one_out(bench, rng) -> Finding:
    """A network may have a node with two inputs; a second output nobody but a test asks for."""
    bench = bench.conformance
    plugin = bench.plugin()
    for inputs, outputs in ((2, 1), (1, 2)):
        told = f"{inputs} input{'s' * (inputs > 1)} and {outputs} output{'s' * (outputs > 1)}"
        tensors = [Descriptor(_FLOAT, (2, 3, 4))] * (inputs + outputs)
        if plugin.output_types([_FLOAT] * inputs, outputs)[0] == 0:
            return failed(f"getOutputDataTypes() returns 0 for {told}: the plugin has one of each.")
        if plugin.output_shapes([[2, 3, 4]] * inputs, outputs).status == 0:
            return failed(f"getOutputShapes() returns 0 for {told}: the plugin has one of each.")
        if plugin.supports(0, tensors, inputs):
            return failed(f"supportsFormatCombination() accepts position 0 of {told}: the plugin has one of each.")
    plugin.end()
    return passed()


def advertised_as_read(bench, rng) -> Finding:
    bench = bench.conformance
    said = {each.name: each for each in life.find_creator(bench.session(), bench.spec).fields or ()}
    for right in attribute_fields(bench.spec):
        field = said[right.name]
        if (field.type, field.length) != (right.type, right.length):
            return failed(
                f"getFieldNames() advertises {field.name} as {field_type(field.type) or field.type} of length "
                f"{field.length}; the contract has it as {field_type(right.type)} of length {right.length}."
            )
    return passed()
