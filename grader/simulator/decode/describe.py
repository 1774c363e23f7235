"""Instructions for people: their text, the registers they write, what the values in them mean.

Only a trace asks for this, so a module is parsed a second time for it and the launches stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from grader.simulator.decode.frame import lane_bytes
from grader.simulator.decode.program import FunctionDecoder, Linker
from grader.simulator.decode.types import SPACES
from grader.simulator.ptx.model import SIZES, Address, Group, Immediate, Instruction, Name, Operand, Pair, Sum

_SPACE_NAMES = {number: name or "generic" for name, number in SPACES.items()}
# Their first operand may be a register, but one that they read.
_WRITE_NOTHING = {"st", "red", "bra", "brx", "nanosleep", "cp", "prefetch", "prefetchu", "stmatrix", "membar", "fence"}
_KINDS = {"ld": "load", "st": "store", "atom": "atomic", "red": "reduction", "ldmatrix": "load", "stmatrix": "store"}
# What a register of bits holds, from the least telling use to the most.
_TELLING = ("", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "bf16", "f16", "bf16x2",
            "f16x2", "f32", "f64", "pred")  # fmt: skip
_RANK = {kind: rank for rank, kind in enumerate(_TELLING)}
_MOST_REGISTERS = 4


@dataclass(frozen=True)
class Described:
    """An instruction as a trace shows it. ``registers`` are those it writes: (name, type), at most four."""

    text: str
    opcode: str
    file: str | None
    line: int | None
    registers: tuple[tuple[str, str], ...] = ()
    kind: str = ""  # of a memory operation: "load", "store", "atomic", "reduction", "copy"
    space: str = ""  # of its addresses: "global", "shared", ..., "generic"
    width: int = 0  # bytes that a lane moves


@dataclass(frozen=True)
class Shape:
    """abi.h, TraceShape."""

    slots: tuple[int, ...]
    bytes: tuple[int, ...]
    address: bool

    def numbers(self) -> list[int]:
        spare = _MOST_REGISTERS - len(self.slots)
        return [*self.slots, *[-1] * spare, *self.bytes, *[0] * spare, int(self.address)]


def describe(linker: Linker) -> list[tuple[Described, Shape]]:
    """What there is to say of each record of a linked program, in order."""
    found = []
    for decoder in linker.decoders:
        kinds = _register_types(decoder)
        for instruction, record in zip(decoder.function.body, decoder.records, strict=False):
            names = _written(decoder, instruction)
            kind = _kind(instruction.opcode)
            place = instruction.location
            slots = tuple(decoder.frame.register(name, _lane(decoder, name)) for name in names)
            found.append((
                Described(
                    text(instruction), instruction.opcode, place and place.file, place and place.line,
                    tuple((_plain(name), kinds.get(name, "")) for name in names),
                    kind, _SPACE_NAMES[record.space] if kind else "",
                    record.bytes * max(record.vector, 1) if kind else 0,
                ),
                Shape(slots, tuple(_lane(decoder, name) for name in names), bool(kind) and _has_address(instruction)),
            ))  # fmt: skip
        last = found[-1][0] if decoder.function.body else None
        found.append((Described("ret;", "ret", last and last.file, last and last.line), Shape((), (), False)))
    return found


def _kind(opcode: str) -> str:
    if ".param" in opcode:
        return ""
    if opcode.startswith(("cp.async.ca", "cp.async.cg")):
        return "copy"  # from global to shared memory; the address is where it goes
    if opcode.startswith(("wmma.load", "wmma.store")):
        return opcode.split(".")[1]
    return _KINDS.get(opcode.split(".")[0], "")


def _lane(decoder: FunctionDecoder, name: str) -> int:
    return lane_bytes(decoder.frame.type_of(name) or "b32")


def _has_address(instruction: Instruction) -> bool:
    """Whether each lane has an address of its own; wmma names one for the whole matrix."""
    if instruction.opcode.startswith("wmma"):
        return False
    return any(isinstance(operand, Address) for operand in instruction.operands)


def _written(decoder: FunctionDecoder, instruction: Instruction) -> list[str]:
    """The registers that an instruction writes."""
    root, *rest = instruction.opcode.split(".")
    if root in _WRITE_NOTHING or (root in ("bar", "barrier") and "red" not in rest) or not instruction.operands:
        return []
    names = [name for name in _names(instruction.operands[0]) if decoder.frame.type_of(name) is not None]
    return names[:_MOST_REGISTERS]


def _names(operand: Operand) -> list[str]:
    if isinstance(operand, Name):
        return [operand.name]
    if isinstance(operand, Pair):
        return [operand.first, operand.second]
    if isinstance(operand, Group):
        return [name for item in operand.items for name in _names(item)]
    return []


# ---- what a register holds: PTX declares bits, the instructions around it know more ----


def _register_types(decoder: FunctionDecoder) -> dict[str, str]:
    """The most telling type under which each register is used; moves pass it on to where a value goes."""
    types: dict[str, str] = {}

    def learn(name: str, kind: str) -> bool:
        declared = decoder.frame.type_of(name)
        if declared is None or not kind or kind not in _RANK or (declared != "pred" and SIZES[kind] != SIZES[declared]):
            return False
        if _RANK[kind] <= _RANK[types.get(name, "")]:
            return False
        types[name] = kind
        return True

    same: list[list[str]] = []
    for name, declared in decoder.function.registers.items():
        learn(name, declared)
    for instruction in decoder.function.body:
        for position, operand in enumerate(instruction.operands):
            for name in _names(operand):
                learn(name, _operand_type(instruction.opcode, position))
        if instruction.opcode.split(".")[0] in ("mov", "shfl", "selp"):
            operands = instruction.operands[:3] if instruction.opcode.startswith("selp") else instruction.operands[:2]
            if all(isinstance(operand, Name | Pair) for operand in operands):
                same.append([_names(operand)[0] for operand in operands])
    while any([learn(name, types.get(other, "")) for group in same for name in group for other in group]):
        pass
    return types


def _operand_type(opcode: str, position: int) -> str:
    """The type under which an instruction uses an operand; "" where its words do not tell."""
    root, *rest = opcode.split(".")
    kinds = [word for word in rest if word in _RANK]
    if not kinds:
        return ""
    if root in ("cvt", "set"):
        return kinds[0] if position == 0 else kinds[-1]
    if root in ("setp", "selp", "slct") and position in ((0,) if root == "setp" else (3,)):
        return ""
    if "wide" in rest and position in (0, 3):
        return kinds[-1][0] + {"16": "32", "32": "64"}.get(kinds[-1][1:], "")
    if root == "mma":
        return kinds[0] if position in (0, 3) and kinds[0] == "f32" else ""
    if root in ("shl", "shr") and position == 2:
        return "u32"
    return kinds[-1]


# ---- text ----


def text(instruction: Instruction) -> str:
    """The instruction as PTX writes it."""
    guard = f"@{'!' * instruction.guard_negated}{_plain(instruction.guard)} " if instruction.guard else ""
    operands = ", ".join(map(_operand, instruction.operands))
    return f"{guard}{instruction.opcode}{' ' if operands else ''}{operands};"


def _operand(operand: Operand) -> str:
    if isinstance(operand, Name):
        return "!" * operand.negated + _plain(operand.name)
    if isinstance(operand, Immediate):
        return str(operand.value) if operand.kind == "int" else _real(operand)
    if isinstance(operand, Pair):
        return f"{_plain(operand.first)}|{_plain(operand.second)}"
    if isinstance(operand, Sum):
        return _plain(operand.name) + _offset(operand.offset)
    if isinstance(operand, Group):
        return "{" + ", ".join(map(_operand, operand.items)) + "}"
    if operand.base is None:
        return f"[{operand.offset}]"
    return f"[{_plain(operand.base)}{_offset(operand.offset)}]"


def _offset(offset: int) -> str:
    return f"+{offset}" if offset > 0 else str(offset) if offset else ""


def _real(operand: Immediate) -> str:
    return f"0f{operand.value:08X}" if operand.kind == "f32" else f"0d{operand.value:016X}"


def _plain(name: str) -> str:
    """The name without the mark of the block in which it was declared."""
    return re.sub(r"@\d+$", "", name)


def packed(shapes: Iterable[Shape]) -> bytes:
    """The engine's table."""
    import array

    return array.array("i", [number for shape in shapes for number in shape.numbers()]).tobytes()
