"""Runs the reference function of a spec, which is anyone's code, in a run child; it is never imported here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from grader.plugin.fields import attribute_values
from grader.plugin.inputs import Tensor
from grader.plugin.spec_records import Spec
from grader.sandbox import Child, ChildEnded, Limits, plain, python_child
from grader.verdict.records import State

LIMITS = Limits(wall_seconds=20.0, memory_bytes=2 << 30)
LARGEST_FILE = 1 << 20  # bytes
ENDED = {
    State.CRASH: "crashed the Python process ({signal})",
    State.TIMEOUT: "did not finish in {seconds:.0f} s",
    State.OUT_OF_MEMORY: "needed more than {memory} MB",
}


class ReferenceFailed(Exception):
    """The reference gave no usable result: its ``sentence`` names file and line; ``state`` is how it ended."""

    def __init__(self, sentence: str, state: State = State.ERROR, line: int | None = None):
        super().__init__(sentence)
        self.sentence, self.state, self.line = sentence, state, line


class ReferenceRunner:
    """Calls of one reference function in one child, which starts with the first call. A context manager."""

    def __init__(self, spec: Spec, limits: Limits = LIMITS):
        if spec.reference is None:
            raise ValueError(f"{spec.path} names no reference")
        self._spec, self._limits = spec, limits
        self._file, self._function = spec.reference.file, spec.reference.function
        self._child: Child | None = None

    def __enter__(self) -> ReferenceRunner:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None

    def __call__(self, inputs: Iterable[Tensor], changed: Mapping[str, Any] | None = None) -> list[np.ndarray]:
        """One array for each output of the spec; ``changed`` replaces attribute values. ``ReferenceFailed`` else.

        The function gets the values of all inputs in the spec's order, shape inputs too, and the attributes by name.
        """
        values = [np.array(each.values) for each in inputs]
        attributes = attribute_values(self._spec.attributes, **(changed or {}))
        structure, payload = plain.encode([values, attributes])
        reply, data = self._ask({"arguments": structure}, payload)
        try:
            outputs = plain.decode(reply.get("values"), data)
        except ValueError as error:
            raise self._failed(f"returned something else than NumPy arrays: {error}") from None
        return self._checked(outputs)

    def _checked(self, outputs) -> list[np.ndarray]:
        expected = self._spec.outputs
        if not isinstance(outputs, list) or len(outputs) != len(expected):
            count = len(outputs) if isinstance(outputs, list) else 0
            names = ", ".join(each.name for each in expected)
            raise self._failed(f"returned {count} arrays; the spec has {len(expected)} outputs ({names})")
        arrays = []
        for each, value in zip(expected, outputs, strict=True):
            if isinstance(value, (bool, int, float)):
                value = np.asarray(value)
            if not isinstance(value, np.ndarray):
                raise self._failed(f"returned no array for output {each.name}")
            if each.size_tensor and value.size != 1:
                raise self._failed(f"returned {value.size} numbers for {each.name}, which is one extent")
            arrays.append(value.reshape(()) if each.size_tensor else value)
        return arrays

    def _ask(self, header: dict, payload: bytes = b"") -> tuple[dict, bytes]:
        try:
            if self._child is None:
                self._start()
            return self._answer(*self._child.call(header, payload))
        except ChildEnded as ended:
            outcome = ended.outcome
            self.close()
            state = State.ERROR if outcome.state is State.PASS else outcome.state
            words = ENDED.get(state, "ended its process before it answered").format(
                signal=outcome.signal, seconds=self._limits.wall_seconds, memory=(self._limits.memory_bytes or 0) >> 20
            )
            raise self._failed(words, state=state) from None

    def _start(self) -> None:
        source = self._source()
        self._child = Child(python_child("grader.plugin.reference_child"), limits=self._limits)
        try:
            self._answer(*self._child.call({"source": source, "function": self._function}))
        except ReferenceFailed:
            self.close()
            raise

    def _answer(self, header: dict, data: bytes) -> tuple[dict, bytes]:
        if "error" not in header:
            return header, data
        line = header.get("line") if type(header.get("line")) is int else None
        raise self._failed(f"failed: {header['error']}", line=line)

    def _source(self) -> str:
        try:
            if self._file.stat().st_size > LARGEST_FILE:
                raise self._failed(f"is larger than {LARGEST_FILE >> 20} MB")
            return self._file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise self._failed(f"cannot be read: {error}") from None

    def _failed(self, problem: str, *, state: State = State.ERROR, line: int | None = None) -> ReferenceFailed:
        where = f"{self._file}, line {line}" if line is not None else str(self._file)
        return ReferenceFailed(f"The reference ({where}, function {self._function}) {problem}.", state, line)
