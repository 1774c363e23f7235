"""What a plugin is driven with: the fields of its attributes, and the descriptors of its tensors at given extents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.plugin.fields import field_bytes
from grader.plugin.inputs import extents_at
from grader.plugin.records import Descriptor, Field, Shapes
from grader.plugin.spec_records import FORMATS, Combination, Spec
from grader.plugin.types import TYPES

WILDCARD = -1


def attribute_fields(spec: Spec, changed: Mapping[str, Any] | None = None) -> list[Field]:
    """The spec's attributes as fields, with some values replaced."""
    return [attribute_field(each, (changed or {}).get(each.name, each.value)) for each in spec.attributes]


def attribute_field(attribute, value: Any) -> Field:
    data, length = field_bytes(attribute.type, value)
    return Field(attribute.name, TYPES[attribute.type].field, length, data)


def symbols(spec: Spec) -> list[list[int | str]]:
    """The shapes of the tensors with a name for every extent that is not fixed, as ``getOutputShapes`` meets them.

    An extent that is an expression of others ("2 * N") is an unknown of its own to a plugin; it is named by its text.
    """
    return [list(each.shape or ()) for each in spec.tensors]


def shape_symbols(spec: Spec) -> list[list[int | str]]:
    """The same for the values of shape inputs; a scalar is one value."""
    values = (each.value for each in spec.shape_inputs)
    return [list(value) if isinstance(value, tuple) else [value] for value in values]


def bindings(spec: Spec, extents: Mapping[str, int]) -> dict[str, int]:
    """The value of every name in ``symbols`` and ``shape_symbols`` at these extents."""
    from grader.plugin import expressions

    texts = {each for shape in (*symbols(spec), *shape_symbols(spec)) for each in shape if isinstance(each, str)}
    return {text: expressions.value(text, extents) for text in texts} | dict(extents)


@dataclass(frozen=True)
class Tensors:
    """Descriptors of all inputs and outputs of one call."""

    inputs: tuple[Descriptor, ...]
    outputs: tuple[Descriptor, ...]

    @property
    def all(self) -> tuple[Descriptor, ...]:
        return (*self.inputs, *self.outputs)


def at_run(spec: Spec, combination: Combination, shapes: Shapes, extents: Mapping[str, int]) -> Tensors:
    """As ``onShapeChange`` and ``enqueue`` get them: a data-dependent extent of an output is -1 (TensorRT 10.14)."""
    known = bindings(spec, extents)
    count = len(spec.tensors)
    kinds, layouts = _numbers(combination)
    inputs = [_extents(shape, known) for shape in symbols(spec)]
    outputs = [
        tuple(WILDCARD if shapes.size_tensor_of(node) else shapes.evaluate(node, known) for node in row or ())
        for row in shapes.outputs
    ]
    rows = [Descriptor(k, dims, f) for k, f, dims in zip(kinds, layouts, [*inputs, *outputs], strict=True)]
    return Tensors(tuple(rows[:count]), tuple(rows[count:]))


def at_build(spec: Spec, combination: Combination, shapes: Shapes, fixed: Mapping[str, int] | None = None) -> Tensors:
    """As ``configurePlugin`` gets them while an engine is built: -1 for what is not known, and the profile's bounds.

    ``fixed``: the extents of a network that has no unknown ones; what depends on data is unknown still.
    """
    count = len(spec.tensors)
    kinds, layouts = _numbers(combination)
    points = [fixed] * 3 if fixed is not None else [extents_at(spec, which) for which in ("min", "opt", "max")]
    bounds = [bindings(spec, point) for point in points]
    if fixed is not None:
        dims = [_extents(shape, bounds[0]) for shape in symbols(spec)]
    else:
        dims = [tuple(each if isinstance(each, int) else WILDCARD for each in shape) for shape in symbols(spec)]
    ranges = [[_extents(shape, known) for known in bounds] for shape in symbols(spec)]
    for row in shapes.outputs:
        dims.append(tuple(_known(shapes, node, None if fixed is None else bounds[0]) for node in row or ()))
        sizes = ("lower", "opt", "upper")  # DynamicPluginTensorDesc::min is a lower bound: nothing may be found
        ranges.append([
            tuple(max(0, shapes.evaluate(node, known, size) or 0) for node in row or ())
            for known, size in zip(bounds, sizes, strict=True)
        ])  # fmt: skip
    rows = [
        Descriptor(k, d, f, low, opt, high)
        for k, f, d, (low, opt, high) in zip(kinds, layouts, dims, ranges, strict=True)
    ]
    return Tensors(tuple(rows[:count]), tuple(rows[count:]))


def upper_shapes(spec: Spec, shapes: Shapes, extents: Mapping[str, int]) -> list[tuple[int, ...]]:
    """The shape that each output's memory is for: a data-dependent extent at its upper bound."""
    known = bindings(spec, extents)
    return [tuple(shapes.evaluate(node, known) or 0 for node in row or ()) for row in shapes.outputs]


def _numbers(combination: Combination) -> tuple[list[int], list[int]]:
    return [TYPES[name].tensor for name in combination.types], [FORMATS.index(name) for name in combination.formats]


def _known(shapes: Shapes, node: int | None, extents: Mapping[str, int] | None) -> int:
    """An output's extent as a network knows it; ``extents`` are None where those of the inputs are unknown."""
    if node is None or shapes.size_tensor_of(node):
        return WILDCARD
    if extents is None:
        return shapes.nodes[node][1] if shapes.nodes[node][0] == "c" else WILDCARD
    value = shapes.evaluate(node, extents)
    return WILDCARD if value is None else value


def _extents(shape: Sequence[int | str], known: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(each if isinstance(each, int) else known[each] for each in shape)
