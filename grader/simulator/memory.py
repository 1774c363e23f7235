"""Device memory: a reserved range of addresses, and the buffers in it.

Addresses start at a fixed number, so that they are the same in every run. Only touched pages take memory.
Between two buffers lies a gap that belongs to nobody, and addresses are not used again before a reset: a step
past the end and a freed pointer are always noticed.
"""

from __future__ import annotations

import bisect
import ctypes
import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from grader.simulator.decode.types import PARAMETERS
from grader.simulator.records import DeviceError
from grader.verdict.records import State

BASE = 0x7000_0000_0000  # where buffers begin
ALIGNMENT = 512
SMALLEST_GAP = 64 << 10
POISON = 0xCD
CAPACITY = 80 << 30  # what the simulated GPU has, sparse memory excluded
_RESERVED = 16 << 40
_MAP_NORESERVE = 0x4000
_CHUNK = 1 << 20
_ROW = struct.Struct("<5Q")  # abi.h, Allocation


@dataclass(slots=True)
class Buffer:
    name: str
    base: int
    bytes: int
    read_only: bool = False
    sparse: bool = False
    freed: bool = False
    unwritten: int = 0  # bytes that neither host nor kernel wrote yet; 0 where it is not looked for


class Memory:
    def __init__(self):
        self._map = _reserve()
        self._anchor = ctypes.c_char.from_buffer(self._map)
        self._view = memoryview(self._map)
        self._marks = _reserve(len(self._map))  # of every byte: 1 if it was written, where that is looked for
        self._marks_anchor = ctypes.c_char.from_buffer(self._marks)
        self.written_offset = ctypes.addressof(self._marks_anchor) - PARAMETERS
        # host address = device address + host_offset
        self.host_offset = ctypes.addressof(self._anchor) - PARAMETERS
        self._buffers: list[Buffer] = []
        self._bases: list[int] = []
        self._table: bytearray | None = None
        self._next = BASE
        self._used = 0

    # ---- buffers ----

    def alloc(self, nbytes: int, *, name: str, read_only: bool, fill: int | None, sparse: bool) -> int:
        if nbytes < 0:
            raise DeviceError(State.ERROR, f"a buffer of {nbytes} bytes cannot be allocated")
        room = -(-nbytes // ALIGNMENT) * ALIGNMENT
        room += max(SMALLEST_GAP, room)
        full = not sparse and self._used + nbytes > CAPACITY
        if full or self._next + room > PARAMETERS + len(self._view):
            raise DeviceError(
                State.OUT_OF_MEMORY,
                f"The simulated GPU's memory is full: {nbytes} bytes do not fit beside {self._used} in use.",
            )
        buffer = Buffer(name, self._next, nbytes, read_only, sparse)
        if not sparse:
            self._used += nbytes
            buffer.unwritten = nbytes if fill is None else 0
            self._fill(buffer, POISON if fill is None else fill & 0xFF)
        self._next += room
        self._buffers.append(buffer)
        self._bases.append(buffer.base)
        self._table = None
        return buffer.base

    def _fill(self, buffer: Buffer, value: int) -> None:
        if value == 0:
            return  # fresh pages are zero
        chunk = bytes([value]) * min(_CHUNK, buffer.bytes)
        start = buffer.base - PARAMETERS
        for at in range(0, buffer.bytes, _CHUNK):
            size = min(_CHUNK, buffer.bytes - at)
            self._view[start + at : start + at + size] = chunk[:size]

    def free(self, address: int) -> None:
        buffer = self.buffer_at(address)
        if buffer is None or buffer.base != address:
            raise DeviceError(State.ERROR, f"free of {address:#x}, which is no buffer's address")
        if buffer.freed:
            raise DeviceError(State.ERROR, f"buffer {buffer.name or hex(address)} is freed twice")
        buffer.freed = True
        if not buffer.sparse:
            self._used -= buffer.bytes
        self._release(buffer.base, buffer.bytes)
        self._table = None

    def place_parameters(self, data: bytes) -> None:
        """Put a launch's parameters where a kernel finds them that takes their address; none (b""): there are none."""
        if placed := bool(self._bases) and self._bases[0] == PARAMETERS:
            del self._bases[0], self._buffers[0]
        if data:
            self._buffers.insert(0, Buffer("", PARAMETERS, len(data), read_only=True))
            self._bases.insert(0, PARAMETERS)
            self._view[: len(data)] = data
        if data or placed:
            self._table = None

    def _release(self, base: int, nbytes: int) -> None:
        """Give pages back to the machine. Buffers lie at least a page apart."""
        start = -(-(base - PARAMETERS) // mmap.PAGESIZE) * mmap.PAGESIZE
        end = -(-(base + nbytes - PARAMETERS) // mmap.PAGESIZE) * mmap.PAGESIZE
        if end > start:
            for memory in (self._map, self._marks):
                memory.madvise(mmap.MADV_DONTNEED, start, end - start)

    def reset(self) -> None:
        self._release(BASE, self._next - BASE)
        self._buffers.clear()
        self._bases.clear()
        self._table = None
        self._next = BASE
        self._used = 0

    def buffers(self) -> list[Buffer]:
        """All of them, by address, freed ones too."""
        return list(self._buffers)

    @property
    def top(self) -> int:
        """Behind the last buffer and its gap: no buffer ever lay from here on."""
        return self._next

    def buffer_at(self, address: int) -> Buffer | None:
        """The buffer that an address lies in, freed or not."""
        index = bisect.bisect_right(self._bases, address) - 1
        if index < 0:
            return None
        buffer = self._buffers[index]
        return buffer if address < buffer.base + max(buffer.bytes, 1) else None

    def nearest(self, address: int) -> Buffer | None:
        """The buffer an address lies in, else the one whose first or last byte is nearest, a living one if any."""
        if (own := self.buffer_at(address)) is not None:
            return own
        index = bisect.bisect_right(self._bases, address)
        before, after = self._buffers[:index][::-1], self._buffers[index:]
        near = [b for side in (before, after) if (b := next((b for b in side if not b.freed), None))]
        near = near or [*before[:1], *after[:1]]
        return min(
            near, key=lambda b: max(b.base - address, address - (b.base + b.bytes - 1), 0), default=None
        )

    # ---- the host's side ----

    def write(self, address: int, data: bytes) -> None:
        start = self._check(address, len(data), "write")
        self._view[start : start + len(data)] = data
        self._mark_written(self.buffer_at(address), start, len(data))

    def _mark_written(self, buffer: Buffer | None, start: int, nbytes: int) -> None:
        if buffer is None or not buffer.unwritten:
            return
        if nbytes < buffer.bytes:
            fresh = self._marks[start : start + nbytes].count(0)
            self._marks[start : start + nbytes] = b"\1" * nbytes
        else:
            fresh = buffer.unwritten
        buffer.unwritten -= fresh
        self._table = None

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Device to device. Bytes that nobody wrote stay unwritten where they go."""
        start, end = self._check(source, nbytes, "read"), self._check(to, nbytes, "write")
        origin, target = self.buffer_at(source), self.buffer_at(to)
        if origin.unwritten:
            self._look_for_unwritten(target)
        for at, size in _chunks(0, nbytes):
            self._view[end + at : end + at + size] = self._view[start + at : start + at + size].tobytes()
            if origin.unwritten:
                marks = self._marks[start + at : start + at + size]
                target.unwritten += self._marks[end + at : end + at + size].count(1) - marks.count(1)
                self._marks[end + at : end + at + size] = marks
        if origin.unwritten:
            self._table = None
        else:
            self._mark_written(target, end, nbytes)

    def fill(self, address: int, value: int, nbytes: int) -> None:
        start = self._check(address, nbytes, "write")
        for at, size in _chunks(start, nbytes):
            self._view[at : at + size] = bytes([value]) * size
        self._mark_written(self.buffer_at(address), start, nbytes)

    def _look_for_unwritten(self, buffer: Buffer) -> None:
        """Have marks for a buffer of which all bytes are written."""
        if buffer.unwritten == 0:
            for at, size in _chunks(buffer.base - PARAMETERS, buffer.bytes):
                self._marks[at : at + size] = b"\1" * size

    def forget(self, address: int, nbytes: int) -> None:
        """From now on nobody has written these bytes: they are poison, and a kernel's use of them is a fault."""
        start = self._check(address, nbytes, "write")
        buffer = self.buffer_at(address)
        self._look_for_unwritten(buffer)
        for at, size in _chunks(start, nbytes):
            buffer.unwritten += self._marks[at : at + size].count(1)
            self._marks[at : at + size] = bytes(size)
            self._view[at : at + size] = bytes([POISON]) * size
        self._table = None

    def set_live(self, address: int, live: bool) -> None:
        """Whether a buffer may be touched yet, which was allocated for later."""
        self.buffer_at(address).freed = not live
        self._table = None

    def unwritten(self, address: int, nbytes: int, most: int = 1000) -> tuple[int, list[tuple[int, int]]]:
        """How many of these bytes nobody has written, and where: the first ``most`` ranges as (offset, bytes)."""
        start = self._check(address, nbytes, "read")
        if not self.buffer_at(address).unwritten:
            return 0, []
        marks = self._marks[start : start + nbytes]
        ranges, at = [], marks.find(0)
        while at >= 0 and len(ranges) < most:
            end = marks.find(1, at)
            end = nbytes if end < 0 else end
            ranges.append((at, end - at))
            at = marks.find(0, end)
        return marks.count(0), ranges

    def forget_freed(self, keep: int) -> None:
        """Of the freed buffers remember the ``keep`` youngest: each costs time at every launch."""
        freed = [b.base for b in self._buffers if b.freed]
        gone = set(freed[: len(freed) - keep]) if len(freed) > keep else set()
        if gone:
            self._buffers = [b for b in self._buffers if b.base not in gone]
            self._bases = [b.base for b in self._buffers]
            self._table = None

    def read(self, address: int, nbytes: int) -> bytes:
        start = self._check(address, nbytes, "read")
        return self._view[start : start + nbytes].tobytes()

    def _check(self, address: int, nbytes: int, what: str) -> int:
        buffer = self.buffer_at(address)
        if buffer is None or nbytes < 0 or address + nbytes > buffer.base + buffer.bytes:
            raise DeviceError(
                State.ERROR, f"a copy would {what} {nbytes} bytes outside of any buffer, at {address:#x}"
            )
        if buffer.freed:
            raise DeviceError(
                State.ERROR, f"a copy would {what} buffer {buffer.name or hex(buffer.base)}, which is freed"
            )
        return address - PARAMETERS

    def text(self, address: int, limit: int = 512) -> str:
        """A zero-terminated string, for messages; "" where there is none."""
        buffer = self.buffer_at(address)
        if buffer is None or buffer.freed:
            return ""
        data = self.read(address, min(limit, buffer.base + buffer.bytes - address))
        return data.split(b"\0", 1)[0].decode("utf-8", "replace")

    def table(self) -> bytearray:
        """The allocations as the engine takes them (abi.h, Allocation), by address. See ``launched``."""
        if self._table is None:
            self._table = bytearray().join(
                _ROW.pack(b.base, b.bytes, b.read_only, b.freed, b.unwritten) for b in self._buffers
            )
        return self._table

    def launched(self) -> None:
        """A launch has counted in the table what it wrote for the first time."""
        for buffer, row in zip(self._buffers, _ROW.iter_unpack(self.table()), strict=True):
            buffer.unwritten = row[4]


def _chunks(start: int, nbytes: int) -> Iterator[tuple[int, int]]:
    """Places and sizes of the pieces of a range: no step needs much memory of its own."""
    for at in range(start, start + nbytes, _CHUNK):
        yield at, min(_CHUNK, start + nbytes - at)


def _reserve(size: int = _RESERVED) -> mmap.mmap:
    while True:
        try:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
            return mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        except OSError as error:
            size //= 2
            if size < 1 << 30:
                raise DeviceError(
                    State.GRADER_FAULT, f"the simulated GPU cannot reserve addresses: {error.strerror}"
                ) from error
