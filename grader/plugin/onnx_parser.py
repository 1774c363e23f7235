"""NVIDIA's ONNX parser and builder on a machine with no GPU: what they really say of a model.

>>> from grader.plugin.onnx_parser import parse
>>> parse(model)                       # bytes, or an onnx.ModelProto
refused by NVIDIA's ONNX parser (TensorRT-RTX 1.7.1.116)
  node 1, act [FancyAct]: INVALID_NODE: creator && "Plugin not found, are the plugin name, version, and namespace …

The parser is that of TensorRT-RTX, whose wheel needs neither GPU nor driver. Found by running 1.7.1.116 (tests/plugin):

- It checks all nodes before it gives up, so a model has one error for each node that it cannot take, in order.
- For an operator that it does not know, it looks for a plugin creator of that name, version "1", first in the namespace
  of the node's attribute, then in that of the node's domain: two lines in the log, severity INFO.
- A known operator that it does not implement has no such search, and the sentence of its error may be just ``false``.
- A file of no bytes is a valid model to it. Data in other files is read from below the working folder.
- Without a GPU a whole build works, for networks whose layers need none. RoiAlign fails: the parser makes a plugin of
  NVIDIA's own of it, which asks CUDA for a device. A second RoiAlign in the same process ended it (SIGSEGV).
- TensorRT-RTX does not support plugins of others: where a creator of the right name is registered, the parser has it
  create the plugin and then ends the process (SIGABRT, "terminate called without an active exception").

So the library is loaded in a child, never here, and each model is parsed in a process of its own. Models may come from
strangers: what is not taken is told by ``onnx_model``; the child has limits, an empty working folder and, where a class
is graded, no sight of other files (docs/confinement.md). What a child answers is a claim: a model that takes over the
library's process could have it say anything. The parent does not run what comes back.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence

from grader.plugin.onnx_model import ModelRefused, Summary, as_bytes, read
from grader.plugin.onnx_parsed import SEVERITIES, LogLine, Parsed, ParserError, Shape, Tensor
from grader.sandbox import Child, ChildEnded, Limits, python_child
from grader.toolchain import lane
from grader.verdict import State

LIMITS = Limits(wall_seconds=20.0, memory_bytes=2 << 30, processes=96, file_bytes=1 << 20)
BUILD_LIMITS = Limits(wall_seconds=60.0, memory_bytes=4 << 30, processes=96, file_bytes=1 << 20)
MODULES = ("tensorrt_rtx_bindings", "tensorrt_rtx")
Profile = Mapping[str, tuple[Shape, Shape, Shape]]
_WHO = "NVIDIA's ONNX parser"
_PROCESS = f"The process with {_WHO}"


def parse(
    model, *, build: bool = False, profile: Profile | None = None,
    limits: Limits | None = None,
) -> Parsed:  # fmt: skip
    """What the parser says of ``model``; with ``build`` what the builder makes of it, ahead of time.

    ``profile``: smallest, usual and largest shape of each input that has extents which are not known. Never raises for
    what is in the model.
    """
    return parse_all([model], build=build, profile=profile, limits=limits)[0]


def parse_all(
    models: Iterable, *, build: bool = False, profile: Profile | None = None,
    limits: Limits | None = None,
) -> list[Parsed]:  # fmt: skip
    """``parse`` of each model; the library is loaded once. ``limits``: of each."""
    with Parser(limits or (BUILD_LIMITS if build else LIMITS)) as parser:
        return [parser.parse(as_bytes(model), build=build, profile=profile) for model in models]


def unavailable() -> str:
    """Why the parser cannot be used on this machine, in a sentence; "" where it can."""
    if any(importlib.util.find_spec(name) for name in MODULES):
        return ""
    return f"{_WHO} is not installed here. {lane.state().sentence}"


class Parser:
    """One child for many models. It starts with the first, and again after it ended. A context manager."""

    def __init__(self, limits: Limits = LIMITS):
        self._limits, self._child = limits, None

    def __enter__(self) -> Parser:
        return self

    def __exit__(self, *_) -> None:
        self._close()

    def _close(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None

    def parse(self, model: bytes, *, build: bool = False, profile: Profile | None = None) -> Parsed:
        """As ``parse``."""
        header = {"build": build, "profile": {name: [list(s) for s in to] for name, to in (profile or {}).items()}}
        summary = refused = None
        try:
            summary = read(model)
        except ModelRefused as refusal:
            if not refusal.unreadable or not model:
                return Parsed(state=State.ERROR, sentence=refusal.sentence)
            refused = refusal  # what the parser says of a damaged file is worth hearing
        if absent := unavailable():
            return Parsed(state=State.UNSUPPORTED_HERE, sentence=absent, summary=summary)
        try:
            if self._child is None:
                self._child = Child(python_child("grader.plugin.onnx_parser_child"), limits=self._limits)
            reply, engine = self._child.call(header, model)
        except ChildEnded as ended:
            self._close()
            state = State.ERROR if ended.outcome.state is State.PASS else ended.outcome.state
            words = (ended.outcome.message or "ended").rstrip(".")
            return Parsed(state=state, sentence=f"{_PROCESS} {words}.", summary=summary)
        try:
            return _parsed(reply, engine, header, summary, refused)
        except (KeyError, TypeError, ValueError):
            return Parsed(state=State.ERROR, sentence=f"{_PROCESS} gave an answer that is none.")


def _parsed(reply: dict, engine: bytes, header: dict, summary: Summary | None, refused: ModelRefused | None) -> Parsed:
    if (problem := reply.get("unavailable")) is not None:
        sentence = f"{_WHO} cannot be loaded here: {problem}"
        return Parsed(state=State.UNSUPPORTED_HERE, sentence=sentence, summary=summary)
    log = tuple(LogLine(str(severity), str(text)) for severity, text in reply["log"])
    if (ended := reply.get("ended")) is not None:
        sentence = f"{_WHO} ended its process ({ended}) instead of answering.{_last(log)}"
        return Parsed(state=State.CRASH, sentence=sentence, log=log, summary=summary)
    if (failed := reply.get("failed")) is not None:
        sentence = f"{_WHO} or builder was used wrongly: {failed}"
        return Parsed(state=State.ERROR, sentence=sentence, log=log, summary=summary)
    errors = tuple(ParserError(**error) for error in reply["errors"])
    accepted = reply["accepted"] is True
    state, sentence = State.PASS, ""
    if accepted and refused:
        state, sentence, accepted = State.ERROR, refused.sentence, False
    elif not accepted:
        why = errors[0] if errors else "it gives no reason"
        state, sentence = State.FAIL, f"{_WHO} refuses the model: {why}"
    elif header["build"] and not engine:
        state, sentence = State.FAIL, f"NVIDIA's builder made no engine.{_last(log)}"
    inputs, outputs = (tuple(Tensor(n, t, tuple(s)) for n, t, s in reply[kind]) for kind in ("inputs", "outputs"))
    return Parsed(
        state=state, sentence=sentence, accepted=accepted, errors=errors, log=log, inputs=inputs, outputs=outputs,
        engine=engine or None, summary=summary, version=str(reply["version"]),
    )  # fmt: skip


def _last(log: Sequence[LogLine]) -> str:
    """The last error in the log, as a further sentence."""
    errors = [line.text for line in log if line.severity in SEVERITIES[:2]]
    return f" The last error in its log: {errors[-1]}" if errors else ""
