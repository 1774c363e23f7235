"""Answers that the host never gives, into the parent: only what it is made to say may come of them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from grader.plugin.objects import LifeProblem, PluginV2, PluginV3
from grader.plugin.patience import Patience
from grader.plugin.records import Creator, Descriptor
from grader.plugin.session import LIMITS, HostProblem, PluginEnded, Session
from grader.plugin.trace import Trace
from grader.plugin.values import Garbled, decode, encode

_FIELD = ["name", 1, 1, b"1234", None]
_NODES = [["c", 5], ["s", "N"], ["o", 7, 1, 0], ["z", 0, None, 1], ["o", 1, 2, 2]]
_RIGHT: dict[str, Any] = {
    "load": [None, ["getCreators"], [0]], "logger": None, "list": [[0, None], 2, 1, [0]], "look-up": 0,
    "creator": ["PLUGIN CREATOR_V3ONE", 1, "a", "1", "", [_FIELD]], "create": [1, 2], "deserialize": [1, 2],
    "lives": [1, 2, 3], "threads": [[0, 0]], "clone": [1, 2], "attachToContext": [3, 4], "getPluginName": "a",
    "getFieldsToSerialize": [_FIELD, _FIELD], "getOutputDataTypes": [0, [0]], "getValidTactics": [0, [1]],
    "getCapabilityInterface": ["PLUGIN_V3ONE_CORE", 1, 0, 5], "getOutputShapes": [0, _NODES, [[4, 0]]],
    "getOutputDimensions": [_NODES, [4]], "formatCombinations": [[[[0, 0]]], 1, 1], "serialize": [4, b"blob", 0],
}  # fmt: skip
_VALUES = [None, 0, -1, 1 << 62, -(1 << 63), 2.5, "", "text", "\x1b[0m", b"bytes", [], [None], [1, 2], ["c", 5], 7]


def _value(rng: random.Random, depth: int = 0) -> Any:
    if depth < 4 and rng.random() < 0.4:
        return [_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    return rng.choice(_VALUES)


def _changed(rng: random.Random, value: Any) -> Any:
    """A value with some part of it another."""
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], _changed(rng, value[at]), *value[at + 1 :]]
    return _value(rng)


def _damaged(rng: random.Random, data: bytes) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(damaged)) if damaged else 0
        kind = rng.randrange(4)
        if kind == 0:
            damaged[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del damaged[at:]
        elif kind == 2:
            damaged[at:at] = rng.randbytes(rng.randrange(12))
        else:
            damaged[at : at + 8] = rng.choice([0, 1, 255, 1 << 40, (1 << 64) - 1]).to_bytes(8, "little")
    return bytes(damaged)


class _Child:
    """In the place of ``sandbox.Child``: answers at once, mostly wrongly."""

    outcome = None

    def __init__(self, rng: random.Random):
        self.rng = rng

    def call(self, header, payload, *, wall_seconds=None):
        command, arguments, number = decode(payload)
        result = _RIGHT.get(arguments[1] if command == "call" else command, 0)
        kind = self.rng.randrange(6)
        if kind < 2:
            result = _changed(self.rng, result)
        answer = [number, result, 0.0, []]
        if kind == 2:
            answer = _changed(self.rng, answer)
        return {}, _damaged(self.rng, encode(answer)) if kind == 3 else encode(answer)

    def close(self) -> None:
        pass


def _session(rng: random.Random) -> Session:
    session = Session.__new__(Session)
    session.library, session.trace, session.process, session.seconds = Path("lib.so"), Trace(most=10), 1, 0.0
    session._names, session.messages, session._asked, session._child = {}, [], 0, _Child(rng)
    session._patience, session._limits = Patience(), LIMITS
    return session


def _questions(session: Session) -> list:
    creator = Creator(0, "PLUGIN CREATOR_V3ONE", 1, "a", "1", "", ())
    v3, v2 = PluginV3(session, creator, [1, 1], "plugin"), PluginV2(session, creator, [2, 2], "plugin")
    tensors = [Descriptor(0, (1, 2))]
    return [
        session._load, lambda: session.creator(0), lambda: session.create(creator, []),
        lambda: session.look_up("a", "1", ""), lambda: session.deserialize(creator, b""),
        lambda: session.in_threads(1, []), lambda: session.many_lives(creator, [], 1),
        v3.identity, v3.clone, v3.attach, v3.output_count, v3.tactics, v3.serialized, v3.timing_cache_id,
        v2.identity, v2.attach, v2.serialize, v2.serialization_size,
        lambda: v3.capability(0), lambda: v3.output_types([0], 1), lambda: v3.supports(0, tensors, 1),
        lambda: v3.combinations(tensors, 1, [[(0, 0)]]), lambda: v3.workspace_size(tensors, tensors),
        lambda: v3.configure(tensors, tensors),
        lambda: _look(v3.output_shapes([["N"]], 1)), lambda: _look(v2.output_shapes([["N"]], 2)),
    ]  # fmt: skip


def _look(shapes) -> None:
    """Everything that is asked of shapes."""
    for row in shapes.outputs:
        for node in row or ():
            shapes.text(node), shapes.evaluate(node, {"N": 3}), shapes.size_tensor_of(node)
    shapes.size_tensors()


def read(seed: int, count: int) -> tuple[int, int, list[str]]:
    """So many answers: rounds, how many were taken for an answer, and what went wrong."""
    rng, taken, wrong = random.Random(seed), 0, []
    session = _session(rng)
    questions = _questions(session)
    for number in range(count):
        try:
            try:
                decode(_damaged(rng, encode(_value(rng))))
            except Garbled:
                pass
            rng.choice(questions)()
            taken += 1
        except (PluginEnded, HostProblem, LifeProblem):
            pass
        except Exception as error:
            wrong.append(f"answer {number} of seed {seed}: {error!r}")
    return count, taken, wrong
