"""Where a function's registers, constants and special registers lie in its frame."""

from __future__ import annotations

import struct

from grader.simulator.decode.types import CLUSTER_OF_ONE, CLUSTER_PLACE, SPECIALS
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.isa import SPECIAL_REGISTERS
from grader.simulator.ptx.model import SIZES, Immediate

LANES = 32


def lane_bytes(kind: str) -> int:
    """Bytes of one lane of a register of this type; 0 for a predicate."""
    return 0 if kind == "pred" else 8 if SIZES[kind] == 8 else 4


class Frame:
    def __init__(self, registers: dict[str, str]):
        self._types = registers
        self._slots: dict[str, int] = {}
        self._constants: dict[tuple[int, int], int] = {}
        self._contents: list[tuple[int, bytes]] = []
        self._unread: dict[int, int] = {}
        self.specials: list[tuple[int, int]] = []  # (kind, slot)
        # Predicates come first: they are small, and the rest stays aligned.
        predicates = [name for name, kind in registers.items() if kind == "pred"]
        for k, name in enumerate([*predicates, "%carry"]):
            self._slots[name] = 4 * k
        self._truth: dict[bool, int] = {}
        for value in (False, True):
            slot = 4 * (len(self._slots) + value)
            self._truth[value] = slot
            self._contents.append((slot, b"\xff\xff\xff\xff" if value else bytes(4)))
        self._end = -(-4 * (len(self._slots) + 2) // 64) * 64

    def _reserve(self, size: int) -> int:
        slot = self._end
        self._end += size
        return slot

    def type_of(self, name: str) -> str | None:
        if name in CLUSTER_OF_ONE or name in CLUSTER_PLACE:
            return "pred" if name == "%is_explicit_cluster" else "b32"
        return "b32" if name in SPECIALS else self._types.get(name)

    def register(self, name: str, lane: int) -> int:
        """The slot of a register whose lanes must have ``lane`` bytes (0: a predicate)."""
        name = CLUSTER_PLACE.get(name, name)
        kind = self.type_of(name)
        if kind is None:
            if name in SPECIAL_REGISTERS:
                raise Unsupported(name)
            raise PtxError(f"{name} is not declared")
        if lane_bytes(kind) != lane or kind == "b128":
            raise PtxError(f"{name} of type .{kind} does not fit the instruction")
        if name in CLUSTER_OF_ONE:
            return self.constant(CLUSTER_OF_ONE[name], lane) if lane else self.truth(bool(CLUSTER_OF_ONE[name]))
        if name not in self._slots:
            slot = self._slots[name] = self._reserve(LANES * lane)
            if name in SPECIALS:
                self.specials.append((SPECIALS[name], slot))
        return self._slots[name]

    @property
    def carry(self) -> int:
        return self._slots["%carry"]

    def truth(self, value: bool) -> int:
        return self._truth[value]

    def unread(self, lane: int) -> int:
        """A register for results that nobody asks for; a predicate (0) has one, too."""
        if lane not in self._unread:
            self._unread[lane] = self._reserve(LANES * (lane or 4))
        return self._unread[lane]

    def constant(self, value: int, lane: int) -> int:
        value &= (1 << 8 * lane) - 1
        key = (value, lane)
        if key not in self._constants:
            slot = self._constants[key] = self._reserve(LANES * lane)
            self._contents.append((slot, value.to_bytes(lane, "little") * LANES))
        return self._constants[key]

    def immediate(self, operand: Immediate, kind: str) -> int:
        """The slot of a constant used as type ``kind``."""
        lane = lane_bytes(kind)
        if lane == 0:
            return self.truth(bool(operand.value))
        value = operand.value
        if operand.kind == "f32" and SIZES[kind] == 8:
            single = struct.unpack("<f", value.to_bytes(4, "little"))[0]
            value = int.from_bytes(struct.pack("<d", single), "little")
        elif operand.kind == "f64" and kind == "f32":
            double = struct.unpack("<d", value.to_bytes(8, "little"))[0]
            try:
                value = int.from_bytes(struct.pack("<f", double), "little")
            except OverflowError:  # rounds to an infinity
                value = 0x7F800000 | (value >> 63) << 31
        if SIZES[kind] == 2:
            value &= 0xFFFF
        return self.constant(value, lane)

    def image(self) -> bytes:
        """The frame's first contents: constants in place, registers zero."""
        data = bytearray(self._end)
        for slot, content in self._contents:
            data[slot : slot + len(content)] = content
        return bytes(data)
