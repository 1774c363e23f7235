"""What the opcode handlers work with: one instruction's record and its function's frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from grader.simulator.decode.frame import Frame, lane_bytes
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import CLUSTER_OF_ONE, CLUSTER_PLACE, SPECIALS, Record
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.isa import not_modelled
from grader.simulator.ptx.model import SIZES, Address, Group, Immediate, Instruction, Name, Operand, Sum

if TYPE_CHECKING:
    from grader.simulator.decode.program import FunctionDecoder

Handler = Callable[["Context", Modifiers], None]
HANDLERS: dict[str, Handler] = {}


def handles(*roots: str) -> Callable[[Handler], Handler]:
    """Register a handler for opcodes with these roots. It consumes every modifier or refuses."""

    def register(handler: Handler) -> Handler:
        for root in roots:
            HANDLERS[root] = handler
        return handler

    return register


class Context:
    """One instruction on its way to a record. Handlers set the operation and the operands' slots."""

    def __init__(self, function: FunctionDecoder, instruction: Instruction, operations: dict[str, int]):
        self.function = function
        self.frame: Frame = function.frame
        self.instruction = instruction
        self.operands = list(instruction.operands)  # handlers may take some away
        self.record = Record()
        self.category = ""  # what the counters make of it: "branch", or a key of counters._METRICS
        self._operations = operations

    def decode(self) -> Record:
        instruction = self.instruction
        modifiers = Modifiers(instruction.opcode)
        handler = HANDLERS.get(modifiers.root)
        if handler is None:
            raise not_modelled(instruction.opcode)
        if instruction.guard is not None:
            self.record.guard = self.frame.register(instruction.guard, 0)
            self.record.guard_negated = int(instruction.guard_negated)
        handler(self, modifiers)
        modifiers.done()
        if not -(1 << 63) <= self.record.immediate < 1 << 63:
            raise PtxError(f"{instruction.opcode} with an offset of more than 64 bits")
        return self.record

    def operation(self, name: str) -> None:
        self.record.op = self._operations[name]

    def count(self, *allowed: int) -> None:
        if len(self.operands) not in allowed:
            raise PtxError(f"{self.instruction.opcode} with {len(self.operands)} operands")

    # ---- operands ----

    def destination(self, kind: str, position: int = 0) -> int:
        """The slot of a register that is written; -1 for ``_``."""
        operand = self.operands[position]
        if not isinstance(operand, Name) or operand.negated:
            raise PtxError(f"{self.instruction.opcode} writes no register")
        if operand.name == "_":
            return -1
        if operand.name in SPECIALS or operand.name in CLUSTER_OF_ONE or operand.name in CLUSTER_PLACE:
            raise PtxError(f"{self.instruction.opcode} writes the special register {operand.name}")
        return self.frame.register(operand.name, lane_bytes(kind))

    def written(self, kind: str, position: int = 0) -> int:
        """Like ``destination``, where an operation always writes: for ``_`` a register that nobody reads."""
        slot = self.destination(kind, position)
        return self.frame.unread(lane_bytes(kind)) if slot < 0 else slot

    def source(self, kind: str, position: int) -> int:
        return self.slot(self.operands[position], kind)

    def slot(self, operand: Operand, kind: str) -> int:
        """The slot that holds an operand used as ``kind``: a register, a constant, a variable's address."""
        if isinstance(operand, Immediate):
            return self.frame.immediate(operand, kind)
        if isinstance(operand, Name) and not operand.negated:
            if operand.name == "WARP_SZ":
                return self.frame.constant(32, lane_bytes(kind))
            if self.frame.type_of(operand.name) is None and (place := self.function.place(operand.name)):
                if place.space == "local":
                    raise Unsupported(f"{self.instruction.opcode} of a local variable's address")
                return self.frame.constant(place.offset, lane_bytes(kind))
            if (address := self.function.code_address(operand.name)) is not None:
                return self.frame.constant(address, lane_bytes(kind))
            return self.frame.register(operand.name, lane_bytes(kind))
        if isinstance(operand, Sum) and (place := self.function.place(operand.name)):
            if place.space == "local":
                raise Unsupported(f"{self.instruction.opcode} of a local variable's address")
            return self.frame.constant(place.offset + operand.offset, lane_bytes(kind))
        raise PtxError(f"{self.instruction.opcode} cannot take such an operand")

    def predicate(self, position: int) -> tuple[int, bool]:
        """The slot of a predicate that is read, and whether it is negated."""
        operand = self.operands[position]
        if isinstance(operand, Immediate):
            return self.frame.truth(bool(operand.value)), False
        if not isinstance(operand, Name):
            raise PtxError(f"{self.instruction.opcode} needs a predicate")
        return self.frame.register(operand.name, 0), operand.negated

    def any_width(self, position: int, kind: str) -> tuple[int, int]:
        """(slot, lane bytes) of an operand whose register may be wider than ``kind``."""
        operand = self.operands[position]
        if isinstance(operand, Name) and (own := self.frame.type_of(operand.name)) is not None:
            if own == "pred" or SIZES[own] < SIZES[kind]:
                raise PtxError(f"{operand.name} of type .{own} does not fit {self.instruction.opcode}")
            return self.frame.register(operand.name, lane_bytes(own)), lane_bytes(own)
        return self.slot(operand, kind), lane_bytes(kind)

    def address(self, operand: Operand, space: str) -> None:
        """Fill the record's address. ``space`` is "" for a generic address."""
        if not isinstance(operand, Address):
            raise PtxError(f"{self.instruction.opcode} needs an address")
        record = self.record
        record.immediate = operand.offset
        if operand.base is None:
            return
        kind = self.frame.type_of(operand.base)
        if kind is not None:
            record.address_bytes = lane_bytes(kind)
            if not record.address_bytes:
                raise PtxError("an address in a predicate")
            record.a = self.frame.register(operand.base, record.address_bytes)
            return
        place = self.function.place(operand.base)
        if place is None:
            raise PtxError(f"{operand.base} is not declared")
        if place.space != space:
            raise Unsupported(f"{self.instruction.opcode} of a variable in .{place.space}")
        record.immediate += place.offset

    def list_of(self, operand: Operand, count: int) -> list[Operand]:
        items = list(operand.items) if isinstance(operand, Group) else [operand]
        if len(items) != count:
            raise PtxError(f"{self.instruction.opcode} with {len(items)} elements")
        return items
