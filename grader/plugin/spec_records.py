"""The parts of a plugin's spec, as plain records. ``grader.plugin.spec`` reads them from TOML."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grader.plugin import expressions
from grader.plugin.expressions import Expression
from grader.plugin.types import TYPES

FORMATS = ("linear", "chw2", "hwc8", "chw4", "chw16", "chw32", "dhwc8", "cdhw32", "hwc", "dla_linear", "dla_hwc4",
           "hwc16", "dhwc")  # fmt: skip  # by the number of nvinfer1::TensorFormat, TensorRT 10.14


@dataclass(frozen=True)
class Attribute:
    """A field that ``createPlugin`` reads. Values: a number, text, or a tuple of numbers (of extents for ``dims``)."""

    name: str
    type: str
    value: Any
    other: Any = None  # another legal value; None: the grader makes one
    default: Any = None  # what the plugin takes where the field is missing; None: not said


@dataclass(frozen=True)
class Extent:
    """A dynamic extent: its bounds in the profile, and what it may be at run time."""

    name: str
    min: int = 1
    opt: int = 4
    max: int = 16
    zero: bool = False  # 0 is legal at run time, whatever min says
    multiple: int = 1  # every value is a multiple of this
    declared: bool = True  # False: the spec names it without bounds, these are defaults


@dataclass(frozen=True)
class Input:
    name: str
    types: tuple[str, ...] = ("float32",)
    same: str | None = None  # its type is that of this earlier input
    shape: tuple[Expression, ...] | None = None  # None: not said
    range: tuple[Expression, Expression] | None = None  # values drawn from it; integers: both ends possible
    choices: tuple[float, ...] = ()  # values drawn from these alone
    special: bool = False  # NaN, infinities, -0.0 and subnormals are legal too
    shape_input: bool = False  # seen in getOutputShapes only
    value: tuple[Expression, ...] | Expression | None = None  # of a shape input


@dataclass(frozen=True)
class Output:
    name: str
    type: str  # a type's name or an input's
    shape: tuple[Expression, ...] | None = None  # None: as the reference has it
    size_tensor: bool = False  # a 0-D extent that enqueue writes
    rows: str | None = None  # the size tensor that counts its leading rows
    any_order: bool = False  # its rows may come in any order
    aliases: str | None = None  # the input whose memory it shares


@dataclass(frozen=True)
class Combination:
    """Types, and formats by name, of the inputs (without shape inputs) and then of the outputs."""

    types: tuple[str, ...]
    formats: tuple[str, ...]


@dataclass(frozen=True)
class Tolerance:
    absolute: float
    relative: float


# Of results whose arithmetic is float32 with one rounding at the end; integers and booleans are compared exactly.
TOLERANCES = {
    "float32": Tolerance(1e-5, 1e-5),
    "float16": Tolerance(1e-3, 2e-3),
    "bfloat16": Tolerance(1e-2, 1.6e-2),
}


@dataclass(frozen=True)
class Reference:
    file: Path
    function: str = "reference"


@dataclass(frozen=True)
class Spec:
    path: Path
    name: str | None = None  # None: the only creator of the library
    version: str = "1"
    namespace: str = ""
    attributes: tuple[Attribute, ...] = ()
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    extents: Mapping[str, Extent] = field(default_factory=lambda: MappingProxyType({}))
    given: tuple[Combination, ...] = ()  # the [[combination]] tables
    tolerances: Mapping[str, Tolerance] = field(default_factory=lambda: MappingProxyType({}))
    reference: Reference | None = None
    notes: tuple[str, ...] = ()  # one plain sentence for each default that was taken silently otherwise

    @property
    def tensors(self) -> tuple[Input, ...]:
        """The inputs that ``enqueue`` sees."""
        return tuple(each for each in self.inputs if not each.shape_input)

    @property
    def shape_inputs(self) -> tuple[Input, ...]:
        return tuple(each for each in self.inputs if each.shape_input)

    @property
    def aliased(self) -> tuple[str, ...]:
        """The inputs that an output shares its memory with: ``enqueue`` may write them."""
        return tuple(each.aliases for each in self.outputs if each.aliases)

    def input(self, name: str) -> Input:
        return next(each for each in self.inputs if each.name == name)

    def output_types(self, input_types: Mapping[str, str]) -> tuple[str, ...]:
        """The types of the outputs where the inputs have these."""
        return tuple(input_types.get(each.type, each.type) for each in self.outputs)

    def combinations(self) -> tuple[Combination, ...]:
        """What the plugin must accept: the spec's own combinations, else every choice of input types, all linear."""
        if self.given:
            return self.given
        free = [each for each in self.tensors if each.same is None]
        found = []
        for choice in itertools.product(*(each.types for each in free)):
            types = dict(zip((each.name for each in free), choice, strict=True))
            for each in self.tensors:
                types.setdefault(each.name, types.get(each.same))
            row = (*(types[each.name] for each in self.tensors), *self.output_types(types))
            found.append(Combination(row, ("linear",) * len(row)))
        return tuple(found) if self.inputs else ()

    def input_types(self, combination: Combination) -> dict[str, str]:
        """The type of each input by name, shape inputs too."""
        found = dict(zip((each.name for each in self.tensors), combination.types, strict=False))
        return found | {each.name: each.types[0] for each in self.shape_inputs}

    def shapes(self, extents: Mapping[str, int]) -> dict[str, tuple[int, ...] | None]:
        """The shape of each input at these extents; None where the spec does not say."""
        return {each.name: _shape(each.shape, extents) for each in self.inputs}

    def tolerance(self, type_name: str) -> Tolerance:
        if type_name in self.tolerances:
            return self.tolerances[type_name]
        return TOLERANCES.get(type_name, Tolerance(0.0, 1e-12 if TYPES[type_name].floating else 0.0))


def _shape(shape, extents) -> tuple[int, ...] | None:
    return None if shape is None else tuple(expressions.value(each, extents) for each in shape)
