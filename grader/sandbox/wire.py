"""The wire format: one frame is two little-endian u64 lengths, a UTF-8 JSON object, raw bytes.

Nothing that arrives is ever unpickled or evaluated, and no length that a peer claims is believed before the
bytes are there. Numbers are finite: JSON knows no others. Text that arrives can be printed: half characters
and control characters, which could end a caller or take over a terminal, are replaced. The child's end of
the channel is the descriptor in its last argument, ``--channel=N``.
"""

from __future__ import annotations

import json
import math
import os
import re
import socket
import struct
import sys

MAX_HEADER = 4 << 20  # bytes; JSON takes many times its length in memory
MAX_PAYLOAD = 4 << 30  # bytes
_LENGTHS = struct.Struct("<QQ")
_CHUNK = 1 << 20


class WireError(Exception):
    """The peer did not keep to the format; the message says how."""


class Channel:
    """One end of a private, two-way connection. Not safe for two threads in the same direction."""

    def __init__(self, connection: socket.socket, *, max_payload: int = MAX_PAYLOAD):
        """``max_payload``: bytes that the peer may send in one frame."""
        self._socket = connection
        self._max_payload = max_payload

    def send(self, header: dict, payload=b"") -> None:
        """Send one frame. ``payload`` is any contiguous buffer. ``OSError`` when the peer is gone."""
        text = json.dumps(header, separators=(",", ":")).encode()
        payload = memoryview(payload).cast("B")
        if len(text) > MAX_HEADER or payload.nbytes > MAX_PAYLOAD:
            raise WireError(f"a frame of {len(text)} + {payload.nbytes} bytes is too long to send")
        self._socket.sendall(_LENGTHS.pack(len(text), payload.nbytes) + text)
        if payload.nbytes:
            self._socket.sendall(payload)

    def receive(self) -> tuple[dict, bytes] | None:
        """The next frame as (header, payload); None at an orderly end; ``WireError`` for anything else."""
        lengths = self._read(_LENGTHS.size)
        if not lengths:
            return None
        _complete(lengths, _LENGTHS.size)
        header_bytes, payload_bytes = _LENGTHS.unpack(lengths)
        if header_bytes > MAX_HEADER or payload_bytes > self._max_payload:
            raise WireError(f"a frame claims {header_bytes} + {payload_bytes} bytes")
        text = _complete(self._read(header_bytes), header_bytes)
        payload = _complete(self._read(payload_bytes), payload_bytes)
        return _header(text), payload

    def send_descriptors(self, descriptors: list[int]) -> None:
        """After a frame that announces them: open files of this process for the peer."""
        socket.send_fds(self._socket, [b"."], descriptors)

    def receive_descriptors(self, count: int) -> list[int]:
        """The descriptors that follow a frame; ``WireError`` where it is not ``count`` of them."""
        _, descriptors, *_ = socket.recv_fds(self._socket, 1, count)
        if len(descriptors) != count:
            raise WireError(f"{len(descriptors)} descriptors came in place of {count}")
        return descriptors

    def fileno(self) -> int:
        return self._socket.fileno()

    def finish(self) -> None:
        """Tell the peer that no more frames will come; it can still send."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:  # gone already
            pass

    def close(self) -> None:
        self._socket.close()

    def _read(self, count: int) -> bytes:
        """Up to ``count`` bytes, fewer only at the end. Memory grows with what arrives, no sooner."""
        chunks = []
        while count:
            try:
                chunk = self._socket.recv(min(count, _CHUNK))
            except ConnectionError:
                break
            if not chunk:
                break
            chunks.append(chunk)
            count -= len(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)


_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # not: tab, line ends, form feed


def _header(data: bytes) -> dict:
    try:
        text = data.decode()
        header = json.loads(text, parse_float=_finite, parse_constant=_finite)
        if not isinstance(header, dict):
            raise WireError("a frame's header is not a JSON object")
        # Most headers hold neither escapes nor such characters, and need no walk.
        return printable(header) if "\\u" in text or _UNPRINTABLE.search(text) else header
    except (ValueError, RecursionError):
        raise WireError("a frame's header is not JSON") from None


def _finite(number: str) -> float:
    if not math.isfinite(value := float(number)):
        raise WireError(f"a frame's header holds {number[:20]}, which is no finite number")
    return value


def printable(value):
    """A plain value whose texts can be printed: what could end a caller or take over a terminal is replaced."""
    if isinstance(value, str):
        return _UNPRINTABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [printable(item) for item in value]
    if isinstance(value, dict):
        return {printable(key): printable(item) for key, item in value.items()}
    return value


def _complete(data: bytes, count: int) -> bytes:
    if len(data) != count:
        raise WireError(f"a frame ended after {len(data)} of {count} bytes")
    return data


def channel() -> Channel:
    """In a child: the channel to the grader. ``RuntimeError`` where the process was not started by it."""
    name, _, number = sys.argv[-1].partition("=")
    if name != "--channel" or not number.isdecimal():
        raise RuntimeError("this program is started by the grader, with --channel=N as its last argument")
    os.set_inheritable(int(number), False)  # what the child starts in turn has no part in the conversation
    return Channel(socket.socket(fileno=int(number)))
