"""Records launches, so that the engine alone can run them again: on another machine, without Python.

A recording is a file of little-endian numbers (``replay.cpp`` reads it): a table of blobs, each content once, and for
each launch the ``LaunchRequest`` of abi.h before and after, what its pointers point to, and the contents of device
memory before and after.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader.simulator import backend
from grader.simulator.decode.types import RECORD
from grader.simulator.native import COUNTER_FIELDS, Engine, FaultRecord, LaunchRequest

MAGIC = 0x3159414C504552  # "REPLAY1"
MOST_MEMORY = 8 << 20  # bytes of device memory of a launch that is recorded
MOST_INSTRUCTIONS = 100_000  # warp instructions; more take long in an emulator
_OFFSETS = ("host_offset", "written_offset")  # fields that lead from a device address to the host's
_POINTERS = [name for name, kind in LaunchRequest._fields_ if kind is ctypes.c_void_p]


@dataclass
class Recording:
    blobs: dict[bytes, int] = field(default_factory=dict)
    launches: list[bytes] = field(default_factory=list)
    left_out: int = 0

    def blob(self, data: bytes) -> int:
        return self.blobs.setdefault(data, len(self.blobs))

    def save(self, path: Path) -> None:
        with open(path, "wb") as file:
            file.write(struct.pack("<Q4I", MAGIC, ctypes.sizeof(LaunchRequest), RECORD.size,
                                   len(self.blobs), len(self.launches)))  # fmt: skip
            for data in self.blobs:
                file.write(struct.pack("<Q", len(data)) + data)
            for launch in self.launches:
                file.write(launch)


@contextmanager
def recorded() -> Iterator[Recording]:
    """Records the launches of simulated GPUs of this process."""
    recording, lengths = Recording(), {}
    pointer, launch = backend._pointer, Engine.launch

    def noted(data: bytes) -> int | None:
        address = pointer(data)
        lengths[address] = len(data)
        return address

    def replaced(engine: Engine, request: LaunchRequest) -> int:
        before = _picture(request, lengths)
        kind = launch(engine, request)
        after = _picture(request, lengths) if before else None
        if before and after and before.budget - after.budget <= MOST_INSTRUCTIONS:
            recording.launches.append(_packed(recording, before, after))
        else:
            recording.left_out += 1
        return kind

    backend._pointer, Engine.launch = noted, replaced
    try:
        yield recording
    finally:
        backend._pointer, Engine.launch = pointer, launch


@dataclass
class _Picture:
    """All that a launch reads or writes, at one moment."""

    request: bytes  # without pointers and offsets
    pointed: dict[int, bytes]  # offset of a pointer in the request -> what it points to
    memory: dict[tuple[int, int], bytes]  # (offset of the field that leads there, device address) -> contents
    budget: int


def _picture(request: LaunchRequest, lengths: dict[int, int]) -> _Picture | None:
    """None for a launch that is too large, or traced."""
    lengths = lengths | {
        request.counters: request.code_count * 8 * len(COUNTER_FIELDS),
        request.fault: ctypes.sizeof(FaultRecord),
        request.output: request.output_bytes,
    }
    plain = LaunchRequest.from_buffer_copy(request)
    pointed = {}
    for name in _POINTERS:
        address = getattr(request, name)
        setattr(plain, name, None)
        if address is None:
            continue
        if address not in lengths:
            return None
        pointed[getattr(LaunchRequest, name).offset] = ctypes.string_at(address, lengths[address])
    table = pointed.get(LaunchRequest.allocations.offset, b"")
    count = request.allocation_count
    buffers = [struct.unpack_from("<2Q", table, len(table) // count * k) for k in range(count)]
    if sum(size for _, size in buffers) > MOST_MEMORY:
        return None
    memory = {}
    for name in _OFFSETS:
        if offset := getattr(request, name):
            key = getattr(LaunchRequest, name).offset
            memory |= {(key, base): ctypes.string_at(base + offset, size) for base, size in buffers}
        setattr(plain, name, 0)
    return _Picture(bytes(plain), pointed, memory, request.budget)


def _packed(recording: Recording, before: _Picture, after: _Picture) -> bytes:
    name = os.environ.get("PYTEST_CURRENT_TEST", "launch").rpartition("/")[2].encode()
    parts = [struct.pack("<3I", *(recording.blob(data) for data in (name, before.request, after.request)))]
    parts.append(struct.pack("<2I", len(before.pointed), len(before.memory)))
    for offset, data in before.pointed.items():
        parts.append(struct.pack("<3I", offset, recording.blob(data), recording.blob(after.pointed[offset])))
    for (offset, base), data in before.memory.items():
        numbers = (offset, recording.blob(data), recording.blob(after.memory[offset, base]))
        parts.append(struct.pack("<Q3I", base, *numbers))
    return b"".join(parts)
