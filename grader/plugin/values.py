"""What the parent and the plugin host say to each other: None, integers, numbers, texts, bytes, lists."""

from __future__ import annotations

import math
import struct
from typing import Any

_HEAD = struct.Struct("<cq")
_NUMBER = struct.Struct("<cd")
_DEEPEST = 16  # lists in lists
_MOST = 1 << 20  # items of one list


class Garbled(Exception):
    """What arrived is no value: the plugin process wrote to the host's channel."""


def encode(value: Any) -> bytes:
    if value is None:
        return _HEAD.pack(b"n", 0)
    if isinstance(value, int):  # a bool too
        return _HEAD.pack(b"i", (value + (1 << 63)) % (1 << 64) - (1 << 63))  # as C++ narrows it
    if isinstance(value, float):
        return _NUMBER.pack(b"d", value)
    if isinstance(value, str):
        text = value.encode("utf-8", "replace")
        return _HEAD.pack(b"s", len(text)) + text
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _HEAD.pack(b"b", len(value)) + bytes(value)
    items = b"".join(map(encode, value))
    return _HEAD.pack(b"l", len(value)) + items


def decode(data: bytes) -> Any:
    """The value in ``data``; ``Garbled`` for anything else. What is no UTF-8 becomes replacement characters."""
    value, end = _decode(memoryview(data), 0, 0)
    if end != len(data):
        raise Garbled(f"{len(data) - end} bytes too many")
    return value


def _decode(data: memoryview, at: int, depth: int) -> tuple[Any, int]:
    if at + _HEAD.size > len(data) or depth > _DEEPEST:
        raise Garbled("cut short" if depth <= _DEEPEST else "nested too deeply")
    kind, count = _HEAD.unpack_from(data, at)
    at += _HEAD.size
    if kind == b"n":
        return None, at
    if kind == b"i":
        return count, at
    if kind == b"d":
        number = _NUMBER.unpack_from(data, at - _NUMBER.size)[1]
        return (number if math.isfinite(number) else 0.0), at
    if kind in b"sb" and 0 <= count <= len(data) - at:
        piece = data[at : at + count].tobytes()
        return (piece if kind == b"b" else piece.decode("utf-8", "replace")), at + count
    if kind == b"l" and 0 <= count <= min(_MOST, (len(data) - at) // _HEAD.size):
        items = []
        for _ in range(count):
            item, at = _decode(data, at, depth + 1)
            items.append(item)
        return items, at
    raise Garbled(f"no value begins with {kind!r} {count}")
