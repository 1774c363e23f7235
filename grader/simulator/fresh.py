"""A launch in fresh memory as one call: buffers are made and filled, kernels run, results read, buffers freed.

A check launches hundreds of cases, and a call each for every buffer costs more than what the kernels do.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_POINTER = struct.Struct("<Q")


@dataclass(frozen=True, kw_only=True)
class Buffer:
    """Memory of one launch, as ``Device.alloc`` makes it, with ``data`` at ``offset``."""

    name: str
    nbytes: int
    read_only: bool = False
    fill: int | None = None
    sparse: bool = False
    data: bytes = b""
    offset: int = 0
    pointer: int  # where its address stands in the arguments
    wanted: tuple[int, int] | None = None  # first byte and number of bytes to read when all is done


def request(buffers: Sequence[Buffer], args: bytes) -> tuple[dict[str, Any], bytes]:
    """Header (without the launches) and payload of the call."""
    header = {
        "call": "launch_fresh", "args": len(args),
        "buffers": [
            [buffer.name, buffer.nbytes, buffer.read_only, buffer.fill, buffer.sparse, len(buffer.data), buffer.offset,
             buffer.pointer, buffer.wanted]
            for buffer in buffers
        ],
    }  # fmt: skip
    return header, b"".join([args, *(buffer.data for buffer in buffers)])


def answer(backend, launch: Callable[[dict, bytes], dict], header: dict, payload: bytes) -> tuple[dict, bytes]:
    """In the device process. ``launch`` takes the header and arguments of a launch and gives it as plain data. The
    first fault ends it: nothing is read and nothing freed then, since the device is to be reset."""
    args, position = bytearray(payload[: header["args"]]), header["args"]
    wanted = []
    for name, nbytes, read_only, fill, sparse, filled, offset, pointer, window in header["buffers"]:
        address = backend.alloc(nbytes, name=name, read_only=read_only, fill=fill, sparse=sparse)
        if filled:
            backend.write(address + offset, payload[position : position + filled])
            position += filled
        _POINTER.pack_into(args, pointer, address)
        wanted.append((address, window))
    launches = []
    for each in header["launches"]:
        launches.append(launch(each, bytes(args)))
        if launches[-1]["fault"]:
            return {"ok": True, "launches": launches}, b""
    parts = [backend.read(address + window[0], window[1]) for address, window in wanted if window and window[1]]
    for address, _ in wanted:
        backend.free(address)
    if forget := getattr(backend, "forget_freed", None):
        forget()
    return {"ok": True, "launches": launches}, b"".join(parts)
