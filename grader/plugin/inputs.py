"""What a plugin is tried on: points of its extents, and drawn inputs there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from grader.plugin import expressions
from grader.plugin.spec_records import Extent, Input, Spec
from grader.plugin.types import TYPES, ElementType, pack, rounded

DEFAULT_RANGE = {"f": (-4.0, 4.0), "i": (-8, 8), "u": (0, 8), "b": (0, 1)}
LARGEST = 1 << 24  # elements of one input; its reference travels to another process
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)


@dataclass(frozen=True)
class Tensor:
    """One input: its type by name, and its values as the type holds them (bfloat16 as float32)."""

    name: str
    type: str
    values: np.ndarray
    shape_input: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def data(self) -> bytes:
        """As they lie in device memory, linear."""
        return pack(self.values, self.type)


def extents_at(spec: Spec, which: str) -> dict[str, int]:
    """Every extent at "min", "opt" or "max"."""
    return {name: getattr(each, which) for name, each in spec.extents.items()}


def prime_extents(spec: Spec) -> dict[str, int]:
    """Every extent at a prime of its own (times ``multiple``), so that it is mistaken for no other and for no constant.

    Where the bounds leave no prime to an extent, it gets a value that no other has, else ``opt``.
    """
    constants = {part for each in spec.inputs for part in each.shape or () if isinstance(part, int)}
    found: dict[str, int] = {}
    for name, each in sorted(spec.extents.items(), key=lambda item: item[1].max - item[1].min):
        taken = constants | set(found.values())
        primes = (p * each.multiple for p in PRIMES if p > 2)
        values = [*primes, *range(each.min, min(each.max, each.min + 64 * each.multiple) + 1, each.multiple)]
        found[name] = next((v for v in values if each.min <= v <= each.max and v not in taken), each.opt)
    return {name: found[name] for name in spec.extents}


def zero_extents(spec: Spec) -> Iterator[tuple[str, dict[str, int]]]:
    """For each extent that may be 0: its name, and all extents at opt but this one at 0."""
    for name, each in spec.extents.items():
        if each.zero:
            yield name, extents_at(spec, "opt") | {name: 0}


def drawn_extents(spec: Spec, rng: np.random.Generator) -> dict[str, int]:
    """Every extent somewhere within its bounds."""
    return {name: _drawn(each, rng) for name, each in spec.extents.items()}


def _drawn(extent: Extent, rng: np.random.Generator) -> int:
    low, high = extent.min // extent.multiple, extent.max // extent.multiple
    return int(rng.integers(low, high, endpoint=True)) * extent.multiple


def inputs_for(spec: Spec, extents: Mapping[str, int], types: Mapping[str, str], rng: np.random.Generator,
               *, special: bool = False) -> list[Tensor]:  # fmt: skip
    """The inputs in the spec's order, shape inputs among them; ``types`` is ``Spec.input_types`` of a combination.

    ``special``: inputs whose spec says so begin with NaN, infinities and zeros. ``ValueError`` where the spec gives
    no shape, or an expression has no value at these extents.
    """
    return [_shape_values(each, extents) if each.shape_input else _tensor(each, extents, types[each.name], rng, special)
            for each in spec.inputs]  # fmt: skip


def _shape_values(each: Input, extents: Mapping[str, int]) -> Tensor:
    one = not isinstance(each.value, tuple)
    values = [expressions.value(part, extents) for part in ((each.value,) if one else each.value)]
    values = rounded(np.array(values[0] if one else values, np.int64), each.types[0])
    return Tensor(each.name, each.types[0], values, shape_input=True)


def _tensor(each: Input, extents: Mapping[str, int], type_name: str, rng, special: bool) -> Tensor:
    if each.shape is None:
        raise ValueError(f'the spec gives no shape for input "{each.name}"')
    shape = tuple(expressions.value(part, extents) for part in each.shape)
    if any(n < 0 for n in shape):
        raise ValueError(f'input "{each.name}" would have the shape {shape} where {dict(extents)}')
    kind = TYPES[type_name]
    if kind.dtype is None:
        raise ValueError(f"values of type {type_name} are not supported")
    count = math.prod(shape)
    if count > LARGEST:
        raise ValueError(
            f'input "{each.name}" would have {count} elements where {dict(extents)}; at most {LARGEST} are drawn'
        )
    values = _drawn_values(each, kind, count, extents, rng)
    if special and each.special and kind.floating:
        values = np.array(values, np.float64)
        tiny = (2.0**-133, -(2.0**-133)) if type_name == "bfloat16" else (2.0**-24, -(2.0**-24))
        marks = np.array(SPECIAL + (tiny if type_name != "float32" else (2.0**-149, -(2.0**-149))))[:count]
        values[: marks.size] = marks
    return Tensor(each.name, type_name, rounded(values, type_name).reshape(shape))


def _drawn_values(each: Input, kind: ElementType, count: int, extents: Mapping[str, int], rng) -> np.ndarray:
    """``count`` numbers within the spec's range, as far as the type holds them."""
    if each.choices:
        return rng.choice(np.asarray(each.choices), count)
    low, high = (expressions.value(part, extents) for part in each.range or DEFAULT_RANGE[kind.dtype.kind])
    limits = np.finfo(kind.dtype) if kind.floating else np.iinfo(kind.dtype) if kind.integer else np.iinfo(np.int8)
    low, high = max(low, int(limits.min)), min(high, int(limits.max))
    if not count:
        return np.zeros(0)
    if low > high:
        raise ValueError(f'the range of input "{each.name}" is empty, [{low}, {high}], where {dict(extents)}')
    if kind.floating:
        return low + (high * 0.5 - low * 0.5) * rng.uniform(0, 2, count)  # the whole range may be beyond a double
    return rng.integers(math.ceil(low), math.floor(high), count, endpoint=True)
