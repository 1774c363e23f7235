"""Loads whose value a compare-and-swap at the same address compares.

The first look of such a loop is a plain load in the CUDA C++ Programming Guide (``old = *address``, "Atomic
Functions") and in the toolkit's headers (``atomicAdd`` on ``__nv_bfloat16``). Whatever it sees, the swap happens
only if that is still there, so it is no race with the swaps of others.
"""

from __future__ import annotations

from grader.simulator.ptx.model import Address, Function, Group, Immediate, Instruction, Name, Sum

Place = tuple[str | None, int]


def compared_loads(function: Function) -> set[int]:
    """Their numbers in the body of ``function``."""
    swaps = [ins for ins in function.body if _is_swap(ins)]
    if not swaps:
        return set()
    sources = _sources(function)
    looks = {
        (name, _origin(ins.operands[1], sources)) for ins in swaps for name in _come_from(ins.operands[2], sources)
    }
    return {
        number
        for number, ins in enumerate(function.body)
        if ins.opcode.startswith("ld.")
        and len(ins.operands) == 2
        and isinstance(ins.operands[1], Address)
        and any((name, _origin(ins.operands[1], sources)) in looks for name in _names(ins.operands[0]))
    }


def _is_swap(ins: Instruction) -> bool:
    words = ins.opcode.split(".")
    return words[0] == "atom" and "cas" in words and len(ins.operands) >= 4 and isinstance(ins.operands[1], Address)


def _names(operand) -> list[str]:
    if isinstance(operand, Name):
        return [operand.name]
    return [name for item in operand.items for name in _names(item)] if isinstance(operand, Group) else []


def _sources(function: Function) -> dict[str, list]:
    """What is moved into each register, or is there but for a constant."""
    found: dict[str, list] = {}
    for ins in function.body:
        source = None
        if len(ins.operands) == 2 and ins.opcode.startswith(("mov.", "cvta.")):
            source = ins.operands[1]
        elif ins.opcode == "add.s64" and len(ins.operands) == 3 and isinstance(ins.operands[-1], Immediate):
            source = Sum(ins.operands[1].name, ins.operands[-1].value) if isinstance(ins.operands[1], Name) else None
        for name in _names(ins.operands[0]) if source else ():
            found.setdefault(name, []).append(source)
    return found


def _come_from(operand, sources: dict[str, list]) -> set[str]:
    """The registers whose values ``operand`` may hold, or hold a part of."""
    found, waiting = set(), _names(operand)
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += [source for operand in sources.get(name, ()) for source in _names(operand)]
    return found


def _origin(address: Address, sources: dict[str, list]) -> Place:
    """An address, told by the register or variable from which it was moved."""
    base, offset, seen = address.base, address.offset, set()
    while base not in seen and len(moved := sources.get(base, ())) == 1 and isinstance(moved[0], Name | Sum):
        seen.add(base)
        base, offset = moved[0].name, offset + getattr(moved[0], "offset", 0)
    return base, offset
