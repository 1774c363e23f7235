"""Instructions on registers of 128 bits and atomics on vectors, as several on narrower ones.

A register of 128 bits is a pair of 64-bit registers. An atomic on a vector is one on each element, which is
all that the PTX ISA promises of it; ``Instruction.part`` numbers them, so that one request is counted.
"""

from __future__ import annotations

import re
from dataclasses import replace

from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.model import SIZES, Address, Function, Group, Instruction, Name, Operand

_VECTOR = re.compile(r"\.b128$|^(atom|red)\..*\.v[248]\b")
_VECTORS = {"v2": 2, "v4": 4, "v8": 8}


def simplify(function: Function) -> None:
    """Rewrite the body of ``function`` where it has any such instruction."""
    if not any(_VECTOR.search(instruction.opcode) for instruction in function.body):
        return
    wide = {name for name, kind in function.registers.items() if kind == "b128"}
    for name in wide:
        function.registers[f"{name}%low"] = function.registers[f"{name}%high"] = "b64"
    body: list[Instruction] = []
    moved = []
    for instruction in function.body:
        moved.append(len(body))
        body += _simpler(instruction, wide)
    if len(body) != len(function.body):
        moved.append(len(body))
        function.labels = {key: moved[index] for key, index in function.labels.items()}
    function.body = body


def _simpler(instruction: Instruction, wide: set[str]) -> list[Instruction]:
    root, *modifiers = instruction.opcode.split(".")
    if modifiers and modifiers[-1] == "b128":
        return _in_halves(instruction, root, wide)
    if root in ("atom", "red") and (count := next((_VECTORS[m] for m in modifiers if m in _VECTORS), 0)):
        return _by_elements(instruction, modifiers, count)
    return [instruction]


def _halves(operand: Operand, wide: set[str], opcode: str) -> tuple[Operand, Operand]:
    if isinstance(operand, Name) and operand.name in wide:
        return Name(f"{operand.name}%low"), Name(f"{operand.name}%high")
    if isinstance(operand, Group) and len(operand.items) == 2:
        return operand.items
    raise PtxError(f"{opcode} needs a register of 128 bits")


def _in_halves(instruction: Instruction, root: str, wide: set[str]) -> list[Instruction]:
    opcode = instruction.opcode
    if root == "mov" and opcode == "mov.b128" and len(instruction.operands) == 2:
        targets, sources = (_halves(operand, wide, opcode) for operand in instruction.operands)
        return [
            replace(instruction, opcode="mov.b64", operands=[target, source])
            for target, source in zip(targets, sources, strict=True)
        ]
    if root in ("ld", "st") and ".v" not in opcode.replace(".volatile", ""):
        operands = list(instruction.operands)
        position = 0 if root == "ld" else 1
        if position < len(operands):
            operands[position] = Group(_halves(operands[position], wide, opcode))
        return [replace(instruction, opcode=opcode.removesuffix("b128") + "v2.b64", operands=operands)]
    return [instruction]


def _by_elements(instruction: Instruction, modifiers: list[str], count: int) -> list[Instruction]:
    kind = modifiers[-1]
    front = 2 if instruction.opcode.startswith("red") else 3
    *results, address, values = instruction.operands[:front]
    if (
        kind not in ("f32", "f16", "f16x2", "bf16", "bf16x2")
        or SIZES[kind] * count > 16
        or {"shared", "shared::cta", "cas", "exch"} & {*modifiers}
        or (kind == "f32" and not {"add"} & {*modifiers})
    ):
        return [instruction]  # refused by the decoder
    if not isinstance(address, Address) or any(
        not isinstance(group, Group) or len(group.items) != count for group in (*results, values)
    ):
        raise PtxError(f"{instruction.opcode} needs an address and {count} elements")
    written = {item.name for group in results for item in group.items[:-1] if isinstance(item, Name)}
    read = {address.base, *(item.name for item in values.items[1:] if isinstance(item, Name))}
    if written & read - {"_"}:
        place = instruction.location
        what = f"{instruction.opcode} into registers that it reads"
        raise Unsupported(what, place.file, place.line) if place else Unsupported(what)
    plain = ".".join(m for m in instruction.opcode.split(".") if m not in _VECTORS)
    return [
        replace(
            instruction,
            opcode=plain,
            operands=[
                *(group.items[k] for group in results),
                Address(address.base, address.offset + k * SIZES[kind]),
                values.items[k],
                *instruction.operands[front:],
            ],
            part=k + 1,
        )
        for k in range(count)
    ]
