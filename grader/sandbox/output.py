"""Keeps the beginning and the end of what a child prints, so that endless printing never fills memory."""

from __future__ import annotations


class HeadAndTail:
    """At most ``limit`` bytes of a stream: its first half and its last half."""

    def __init__(self, limit: int):
        self._head_limit = limit - limit // 2
        self._tail_limit = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._tail_limit + 65536:  # trim seldom: each trim copies the tail
            self._trim()

    def text(self) -> str:
        self._trim()
        gap = f"\n… {self._dropped} bytes left out …\n" if self._dropped else ""
        return _decode(self._head) + gap + _decode(self._tail)

    def _trim(self) -> None:
        if (excess := len(self._tail) - self._tail_limit) > 0:
            del self._tail[:excess]
            self._dropped += excess


def _decode(data: bytearray) -> str:
    return data.decode("utf-8", "replace")
