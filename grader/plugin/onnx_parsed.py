"""What came of a model at NVIDIA's ONNX parser, as records and as a cell shows it."""

from __future__ import annotations

import html
from dataclasses import dataclass

from grader.plugin.onnx_model import Summary
from grader.verdict import State

SEVERITIES = ("INTERNAL_ERROR", "ERROR", "WARNING", "INFO", "VERBOSE")
_SHOWN = 8  # errors of one model, in a cell's output
Shape = tuple[int, ...]


@dataclass(frozen=True)
class ParserError:
    """One error as the parser keeps it."""

    code: str  # "INVALID_NODE", "UNSUPPORTED_NODE", ...
    text: str  # NVIDIA's own words
    node: int  # its number in the graph, from 0; -1 where no node is to blame
    name: str  # of the node, "" without one
    operator: str
    function: str  # of the parser's source, with file and line
    file: str
    line: int

    def __str__(self) -> str:
        node = f"node {self.node}{f', {self.name}' if self.name else ''} [{self.operator}]: " if self.node >= 0 else ""
        return f"{node}{self.code}: {self.text}"


@dataclass(frozen=True)
class LogLine:
    severity: str  # of SEVERITIES
    text: str

    def __str__(self) -> str:
        return f"[{self.severity}] {self.text}"


@dataclass(frozen=True)
class Tensor:
    """An input or output of the network; -1 is an extent that is not known."""

    name: str
    dtype: str  # "FLOAT", "HALF", "INT64", ...
    shape: Shape


@dataclass(frozen=True, kw_only=True, repr=False)
class Parsed:
    """What came of one model.

    ``PASS``: accepted, and built if that was asked. ``FAIL``: the parser refuses it, or the builder gave no engine.
    ``ERROR``: refused before the parser saw it. ``CRASH``, ``TIMEOUT``, ``OUT_OF_MEMORY``: the process ended.
    ``UNSUPPORTED_HERE``: the parser is not on this machine. ``sentence`` says it in all cases but PASS.
    """

    state: State
    sentence: str = ""
    accepted: bool = False
    errors: tuple[ParserError, ...] = ()
    log: tuple[LogLine, ...] = ()
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    engine: bytes | None = None
    summary: Summary | None = None
    version: str = ""  # of TensorRT-RTX

    def lines(self, least: str = "INFO") -> list[str]:
        """The log from the severity ``least`` up, as text."""
        kept = SEVERITIES[: SEVERITIES.index(least) + 1]
        return [str(line) for line in self.log if line.severity in kept]

    def _head(self) -> str:
        who = f"NVIDIA's ONNX parser (TensorRT-RTX {self.version})" if self.version else "NVIDIA's ONNX parser"
        if self.accepted and self.state is State.PASS:
            built = f", and built to an engine of {len(self.engine):,} bytes" if self.engine else ""
            return f"accepted by {who}{built}"
        return f"refused by {who}" if self.errors else self.sentence

    def _details(self) -> list[str]:
        if self.accepted and self.state is State.PASS:
            return [f"{t.name}: {t.dtype} {t.shape}" for t in (*self.inputs, *self.outputs)]
        more = len(self.errors) - _SHOWN
        return [*map(str, self.errors[:_SHOWN]), *([f"and {more} more"] if more > 0 else [])]

    def __repr__(self) -> str:
        return "\n".join([self._head(), *(f"  {line}" for line in self._details())])

    def _repr_html_(self) -> str:
        items = "".join(f"<li><code>{html.escape(line)}</code></li>" for line in self._details())
        return f"<div><strong>{html.escape(self._head())}</strong><ul>{items}</ul></div>"
