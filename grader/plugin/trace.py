"""The record of a plugin's life: every call of one of its methods, in order."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Call:
    """One call. ``object``: "creator", "plugin 1", "clone 2 of plugin 1", …; ``seconds`` are spent in the method."""

    seq: int
    process: int
    object: str
    interface: str  # "IPluginV3OneBuild"
    method: str
    arguments: Any
    result: Any
    seconds: float


_LONGEST = 4096  # of a text that is kept


def _cut(value: Any) -> Any:
    """Long texts cut short: a plugin may give out megabytes again and again."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}… ({len(value)} characters)"
    return [*map(_cut, value)] if isinstance(value, (list, tuple)) else value


class Trace:
    """Calls of one or several plugin processes. Safe for threads."""

    def __init__(self, most: int = 100_000):
        self.calls: list[Call] = []
        self.left_out = 0
        self._most, self._lock, self._processes, self._seq = most, threading.Lock(), 0, 0

    def new_process(self) -> int:
        with self._lock:
            self._processes += 1
            return self._processes

    def add(self, process: int, obj: str, interface: str, method: str, arguments, result, seconds: float) -> None:
        with self._lock:
            self._seq += 1
            if len(self.calls) < self._most:
                kept = _cut(arguments), _cut(result)
                self.calls.append(Call(self._seq, process, obj, interface, method, *kept, seconds))
            else:
                self.left_out += 1

    def to_json(self) -> str:
        """A list of objects with seq, process, object, interface, method, arguments, result and seconds."""
        return json.dumps([asdict(call) for call in self.calls], indent=1)
