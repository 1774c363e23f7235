"""Reads an ONNX file without any library: what is in it, and whether it may be handed on.

A model may come from a stranger, and protobuf libraries have been attacked before. This reader is Python, keeps
nothing but counts and names, and visits every occurrence of a field, so that it sees at least what a library would.
Field numbers are those of ``onnx.proto`` of ONNX 1.23.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

LARGEST_MODEL = 64 << 20  # bytes
MOST_NODES = 20_000  # NVIDIA's parser takes 5 s for so many
MOST_FIELDS = 2_000_000  # that are looked at: some seconds
DEEPEST = 12  # graphs in attributes of nodes; protobuf itself ends at about 32
EXTERNAL = 1  # TensorProto.DataLocation

# What lies in a message of a kind: field number -> kind. All that is not named is passed over.
_INSIDE = {
    "model": {7: "graph", 8: "opset", 20: "training", 25: "function"},
    "graph": {1: "node", 5: "tensor", 11: "value", 12: "value", 15: "sparse"},
    "function": {7: "node", 9: "opset", 11: "attribute"},
    "training": {1: "graph", 2: "graph"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}


class ModelRefused(ValueError):
    """The model is not handed on; ``sentence`` says why. ``unreadable``: it is no ONNX file, or a damaged one."""

    def __init__(self, sentence: str, *, unreadable: bool = False):
        super().__init__(sentence)
        self.sentence, self.unreadable = sentence, unreadable


@dataclass
class Summary:
    """What a model holds. Operators of other domains than ONNX's own are written ``domain::Operator``."""

    operators: Counter[str] = field(default_factory=Counter)  # with those in subgraphs and functions
    opsets: dict[str, int] = field(default_factory=dict)  # domain -> version; "" is ONNX's own
    initializers: int = 0
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    @property
    def nodes(self) -> int:
        return self.operators.total()

    def __repr__(self) -> str:
        operators = ", ".join(f"{name} x {n}" if n > 1 else name for name, n in sorted(self.operators.items()))
        opsets = ", ".join(f"{domain or 'ai.onnx'} {version}" for domain, version in sorted(self.opsets.items()))
        ends = f"{', '.join(self.inputs)} -> {', '.join(self.outputs)}"
        return f"{ends} | {operators} | opset {opsets} | {self.initializers} initializers"


def as_bytes(model) -> bytes:
    """``model`` as bytes: bytes themselves, or anything with ``SerializeToString``, such as an ``onnx.ModelProto``."""
    if isinstance(model, bytes | bytearray | memoryview):
        return bytes(model)
    if hasattr(model, "SerializeToString"):
        return model.SerializeToString()
    raise TypeError(f"a model is bytes or an onnx.ModelProto, not {type(model).__name__}")


def read(model: bytes) -> Summary:
    """What ``model`` holds. ``ModelRefused``: too large, too deep, with data in other files, damaged or empty."""
    if len(model) > LARGEST_MODEL:
        raise ModelRefused(f"The model has {len(model) >> 20} MB; at most {LARGEST_MODEL >> 20} MB are taken.")
    reader = _Reader()
    reader.walk("model", memoryview(model), 0)
    graphs = [body for number, body in reader.fields(memoryview(model)) if number == 7]
    if not graphs:
        raise ModelRefused("The file is no ONNX model: there is no graph in it.", unreadable=True)
    reader.found.inputs, reader.found.outputs = (
        tuple(reader.text(value, 1) for graph in graphs for n, value in reader.fields(graph) if n == number)
        for number in (11, 12)
    )
    return reader.found


class _Reader:
    """One reading of one file."""

    def __init__(self):
        self.found, self._left = Summary(), MOST_FIELDS

    def walk(self, kind: str, message: memoryview, depth: int) -> None:
        found = self.found
        if kind == "graph" and depth > DEEPEST:
            raise ModelRefused(f"The model has graphs in graphs, more than {DEEPEST} deep.")
        if kind == "node":
            domain, operator = self.text(message, 7), self.text(message, 4)
            found.operators[operator if domain in ("", "ai.onnx") else f"{domain}::{operator}"] += 1
            if found.nodes > MOST_NODES:
                raise ModelRefused(f"The model has more than {MOST_NODES:,} nodes.")
        elif kind == "opset":
            version = [value for number, value in self.fields(message) if number == 2 and isinstance(value, int)]
            found.opsets[self.text(message, 1)] = version[-1] if version else 0
        elif kind == "tensor":
            for number, value in self.fields(message):
                if number == 13 or (number == 14 and value == EXTERNAL):
                    name = self.text(message, 8) or "a tensor"
                    raise ModelRefused(
                        f"The data of {name} is to come from another file: put it into the model itself."
                    )
        inside = _INSIDE.get(kind, {})
        for number, value in self.fields(message) if inside else ():
            if number in inside and isinstance(value, memoryview):
                found.initializers += kind == "graph" and number in (5, 15) and depth == 0
                self.walk(inside[number], value, depth + (kind == "attribute"))

    def text(self, message: memoryview, wanted: int) -> str:
        """The last value of a text field; "" without one."""
        texts = [value for number, value in self.fields(message) if number == wanted and isinstance(value, memoryview)]
        return bytes(texts[-1][:1000]).decode("utf-8", "replace") if texts else ""

    def fields(self, message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
        """Number and value of each field; ``ModelRefused`` where the bytes are no protobuf message without groups."""
        at, end = 0, len(message)
        while at < end:
            self._left -= 1
            if self._left < 0:
                raise ModelRefused(f"The model is in too many pieces: {MOST_FIELDS:,} are looked at.")
            key, at = _varint(message, at)
            number, wire = key >> 3, key & 7
            if wire == 0:
                value, at = _varint(message, at)
                yield number, value
                continue
            length, at = _varint(message, at) if wire == 2 else ({1: 8, 5: 4}.get(wire, end + 1), at)
            if number == 0 or at + length > end:
                raise _damaged()
            yield number, message[at : at + length]
            at += length


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & ((1 << 64) - 1), at
    raise _damaged()


def _damaged() -> ModelRefused:
    return ModelRefused("The file is no ONNX model, or it is damaged.", unreadable=True)
