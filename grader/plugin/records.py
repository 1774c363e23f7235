"""What a plugin says of itself, as plain records. Numbers of types and formats are those of ``NvInferRuntime.h``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LINEAR = 0  # TensorFormat::kLINEAR
_LONGEST = 200  # characters of an expression for people


@dataclass(frozen=True)
class Descriptor:
    """A tensor descriptor. ``min``, ``opt``, ``max`` are for ``DynamicPluginTensorDesc``; left out, they are ``dims``.

    ``dims`` may hold -1, the wildcard of the build phase. ``scale`` means something for INT8 alone.
    """

    type: int
    dims: tuple[int, ...]
    format: int = LINEAR
    min: tuple[int, ...] | None = None
    opt: tuple[int, ...] | None = None
    max: tuple[int, ...] | None = None
    scale: float = -1.0

    def plain(self) -> list:
        return [self.type, self.format, list(self.dims), float(self.scale)]

    def dynamic(self) -> list:
        ranges = (self.dims if extents is None else extents for extents in (self.min, self.opt, self.max))
        return [*self.plain(), *map(list, ranges)]


@dataclass(frozen=True)
class Field:
    """A ``PluginField``. ``data`` is None for a null pointer; ``length`` counts elements (bytes for kUNKNOWN)."""

    name: str | None
    type: int
    length: int
    data: bytes | None
    problem: str | None = None  # "type" or "length", where a plugin's field cannot be read

    def wire(self) -> list:
        return [self.name, self.type, self.length, self.data]


def fields_of(value: Any) -> tuple[Field, ...] | None:
    return None if value is None else tuple(Field(*row) for row in value)


@dataclass(frozen=True)
class Creator:
    number: int
    kind: str  # "PLUGIN CREATOR_V3ONE", "PLUGIN CREATOR_V1"
    major: int
    name: str | None
    version: str | None
    namespace: str | None
    fields: tuple[Field, ...] | None  # what getFieldNames gives; None for a null pointer

    @property
    def is_v3(self) -> bool:
        return self.kind == "PLUGIN CREATOR_V3ONE"


@dataclass(frozen=True)
class Loaded:
    """What opening a library showed. Creators are numbers; an entry of ``listed`` is None for a null pointer."""

    error: str | None  # of the dynamic linker
    entries: tuple[str, ...] = ()  # of getCreators, getPluginCreators, setLoggerFinder
    self_registered: tuple[int, ...] = ()  # before any entry point was called
    listed: tuple[int | None, ...] | None = None  # by getCreators
    count: int = 0  # what getCreators wrote to its argument
    taken: bool | None = None  # whether IPluginRegistry::loadLibrary gave a handle; None where there is no getCreators
    registered: tuple[int, ...] = ()  # all that are in the registry now because of this library

    @classmethod
    def of(cls, value: Sequence) -> Loaded:
        """Of the answers to "load" and "list"."""
        error, entries, own, listed, count, taken, registered = value
        return cls(
            error, tuple(entries), tuple(own), None if listed is None else tuple(listed), count,
            None if taken is None else bool(taken), tuple(registered),
        )  # fmt: skip


@dataclass(frozen=True)
class Capability:
    kind: str
    major: int
    minor: int
    address: int


_OPERATIONS = {
    0: lambda a, b: a + b,
    1: lambda a, b: a * b,
    2: max,
    3: min,
    4: lambda a, b: a - b,
    5: lambda a, b: int(a == b),
    6: lambda a, b: int(a < b),
    7: lambda a, b: a // b,
    8: lambda a, b: -(-a // b),
}
_SYMBOLS = {0: "{} + {}", 1: "{} * {}", 2: "max({}, {})", 3: "min({}, {})", 4: "({} - {})", 5: "({} == {})",
            6: "({} < {})", 7: "({} // {})", 8: "ceil_div({}, {})"}  # fmt: skip


@dataclass(frozen=True)
class SizeTensor:
    output: int
    opt: int | None  # numbers of nodes
    upper: int | None


@dataclass(frozen=True)
class Shapes:
    """Output shapes as expressions over the extents of the inputs.

    ``outputs`` holds for each output the numbers of its extents' nodes; a shape is None where the plugin left it out,
    an extent where it gave an expression that is not of this call, or none.
    """

    status: int
    nodes: tuple[tuple, ...]
    outputs: tuple[tuple[int | None, ...] | None, ...]

    @classmethod
    def of(cls, status: int, nodes: Sequence, outputs: Sequence) -> Shapes:
        rows = tuple(None if row is None else tuple(row) for row in outputs)
        return cls(status, tuple(map(tuple, nodes)), rows)

    def evaluate(self, node: int | None, extents: Mapping[str, int], sizes: str = "upper") -> int | None:
        """The value of an expression; None where there is none, as for a division by zero or past 64 bits.

        ``sizes``: a size tensor counts as its "upper" bound, its "opt" value, or, as "lower" bound, 0.
        """

        def value(kind: str, *rest) -> int | None:
            if kind == "c":
                return rest[0]
            if kind == "s":
                return extents.get(rest[0])
            if kind == "z":
                return {"lower": 0, "opt": rest[1], "upper": rest[2]}[sizes]
            operation, left, right = rest
            if left is None or right is None or operation in (7, 8) and right == 0:
                return None
            result = _OPERATIONS[operation](left, right)
            return result if -(1 << 63) <= result < 1 << 63 else None

        return self._walk(node, value)

    def _walk(self, node: int | None, make: Callable[..., Any]) -> Any:
        """What ``make`` gives for a node, from its kind and what it gave for its operands; None for no node.

        Each node is visited once, in the order in which they were made: an expression that uses another twice, again
        and again, has few nodes and no end as a tree.
        """
        if node is None or not 0 <= node < len(self.nodes):
            return None
        made: list[Any] = []
        for kind, first, *operands in self.nodes[: node + 1]:
            known = (made[o] if o is not None and 0 <= o < len(made) else None for o in operands)
            made.append(make(kind, first, *known))
        return made[node]

    def extents(self, output: int, extents: Mapping[str, int], sizes: str = "upper") -> tuple[int | None, ...] | None:
        row = self.outputs[output]
        return None if row is None else tuple(self.evaluate(node, extents, sizes) for node in row)

    def size_tensors(self) -> tuple[SizeTensor, ...]:
        return tuple(SizeTensor(*node[1:]) for node in self.nodes if node[0] == "z")

    def size_tensor_of(self, node: int | None) -> SizeTensor | None:
        """The size tensor that an extent is, or that it is computed from."""
        if node is None or not any(each[0] == "z" for each in self.nodes):
            return None
        numbers = iter(range(len(self.nodes)))

        def nearest(kind: str, first, *operands) -> SizeTensor | None:
            number = next(numbers)  # _walk goes through all nodes in order
            return SizeTensor(*self.nodes[number][1:]) if kind == "z" else next(filter(None, operands), None)

        return self._walk(node, nearest)

    def text(self, node: int | None) -> str:
        """An expression for people: "ceil_div(N, 2) * 3"."""

        def text(kind: str, first, *operands) -> str:
            if kind in "cs":
                return str(first)
            shown = [str(each or "nothing") for each in operands]
            whole = f"size of output {first} (at most {shown[1]})" if kind == "z" else _SYMBOLS[first].format(*shown)
            return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}…"

        return self._walk(node, text) or "nothing"
