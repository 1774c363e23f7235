"""The video instructions: vadd, vadd2, vadd4 and so on, with selected bytes and half-words."""

from __future__ import annotations

import re

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import COMPARISONS
from grader.simulator.ptx.errors import PtxError
from grader.simulator.ptx.model import Name, Operand

# video.h, enum VideoOperation, VideoFlag and VideoSecond
_OPERATIONS = {
    "vadd": 0, "vsub": 1, "vabsdiff": 2, "vmin": 3, "vmax": 4, "vavrg": 5, "vset": 6, "vshl": 7, "vshr": 8, "vmad": 9,
}  # fmt: skip
_SIGNED_A, _SIGNED_B, _SIGNED_D, _CLAMP, _WRAP, _PLUS_ONE, _NEGATE_PRODUCT, _NEGATE_C = (1 << k for k in range(8))
_NOTHING, _MERGE, _ACCUMULATE = range(3)
_SECOND = {"": _NOTHING, "add": _ACCUMULATE, "min": 3, "max": 4}
_TESTS = ("eq", "ne", "lt", "le", "gt", "ge")
_SELECTOR = re.compile(r"\.([bh]\d+)$")


_SIMD = ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset")


@handles(*(f"{name}{count}" for name in _SIMD for count in "24"))
def simd(context: Context, modifiers: Modifiers) -> None:
    """Two half-words or four bytes at once."""
    root, count = modifiers.root[:-1], int(modifiers.root[-1])
    record = context.record
    record.mode = _OPERATIONS[root]
    record.flags = _types(modifiers, root)
    if root == "vset":
        record.source_type = COMPARISONS[modifiers.need(*_TESTS)]
    if modifiers.take("add"):
        record.vector = _ACCUMULATE
    else:
        record.vector = _MERGE
        record.flags |= _CLAMP if root != "vset" and modifiers.take("sat") else 0
    record.bytes, record.type = 32 // count, count
    context.count(4)
    letter = "h" if count == 2 else "b"
    whole = range(count)
    fields = []
    for position, usual in ((0, whole), (1, whole), (2, range(count, 2 * count))):
        context.operands[position], selector = _split(context.operands[position])
        if selector and (selector[0] != letter or (position and len(selector) != count + 1)):
            modifiers.refuse()
        chosen = [int(digit) for digit in reversed(selector[1:])] if selector else list(usual)
        if max(chosen) >= (2 * count if position else count) or (not position and chosen != sorted({*chosen})):
            modifiers.refuse()
        fields.append(chosen)
    mask, first, second = fields
    places = [_bytes([k * record.bytes for k in chosen]) for chosen in (first, second)]
    record.values = [*places, 0, sum(1 << k for k in mask)]
    _operands(context, "video")


def _bytes(numbers: list[int]) -> int:
    return sum(number << 8 * k for k, number in enumerate(numbers))


@handles("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vshl", "vshr")
def scalar(context: Context, modifiers: Modifiers) -> None:
    """One word, with a part of it as an operand or as the result."""
    root = modifiers.root
    record = context.record
    record.mode = _OPERATIONS[root]
    record.flags = _types(modifiers, root)
    if root == "vset":
        record.source_type = COMPARISONS[modifiers.need(*_TESTS)]
    elif modifiers.take("sat"):
        record.flags |= _CLAMP
    if root in ("vshl", "vshr"):
        record.flags |= _WRAP if modifiers.need("clamp", "wrap") == "wrap" else 0
    record.vector = _SECOND[modifiers.take("add", "min", "max")]
    for position in range(min(3, len(context.operands))):
        context.operands[position], selector = _split(context.operands[position])
        value = _part(selector, modifiers)
        record.values[(2, 0, 1)[position]] = value
        if position == 0 and selector:
            if record.vector:
                modifiers.refuse()
            record.vector = _MERGE
    context.count(4 if record.vector else 3)
    _operands(context, "video_scalar")


@handles("vmad")
def multiply_add(context: Context, modifiers: Modifiers) -> None:
    record = context.record
    record.mode = _OPERATIONS["vmad"]
    flags = _types(modifiers, "vmad")
    flags |= _CLAMP if modifiers.take("sat") else 0
    flags |= _PLUS_ONE if modifiers.take("po") else 0
    record.source_type = {"": 0, "shr7": 7, "shr15": 15}[modifiers.take("shr7", "shr15")]
    context.count(4)
    record.values[2] = _part("", modifiers)
    negated = []
    for position in (1, 2, 3):
        operand, selector = _split(context.operands[position])
        negated.append(isinstance(operand, Name) and operand.minus)
        if isinstance(operand, Name):
            operand = Name(operand.name)
        context.operands[position] = operand
        if position < 3:
            record.values[position - 1] = _part(selector, modifiers)
        elif selector:
            modifiers.refuse()
    flags |= _NEGATE_PRODUCT if negated[0] != negated[1] else 0
    flags |= _NEGATE_C if negated[2] else 0
    if flags & _PLUS_ONE and any(negated):
        modifiers.refuse()
    # The sum is signed if anything in it is.
    flags &= ~_SIGNED_D
    flags |= _SIGNED_D if flags & (_SIGNED_A | _SIGNED_B | _NEGATE_PRODUCT | _NEGATE_C) else 0
    record.flags = flags
    _operands(context, "video_scalar")


def _types(modifiers: Modifiers, root: str) -> int:
    """``.dtype.atype.btype``; vset has no type of its result."""
    result = "u32" if root == "vset" else modifiers.need("u32", "s32")
    first = modifiers.need("u32", "s32")
    second = modifiers.need("u32") if root in ("vshl", "vshr") else modifiers.need("u32", "s32")
    signs = ((result, _SIGNED_D), (first, _SIGNED_A), (second, _SIGNED_B))
    return sum(flag for kind, flag in signs if kind == "s32")


def _split(operand: Operand) -> tuple[Operand, str]:
    """``%r1.b0`` as the register and its selector."""
    if isinstance(operand, Name) and (found := _SELECTOR.search(operand.name)):
        return Name(operand.name[: found.start()], operand.negated, operand.minus), found[1]
    return operand, ""


def _part(selector: str, modifiers: Modifiers) -> int:
    """First bit and, above eight bits, the width of a byte, a half-word or the whole word."""
    if not selector:
        return 32 << 8
    width = 8 if selector[0] == "b" else 16
    number = int(selector[1:])
    if number * width >= 32:
        modifiers.refuse()
    return number * width | width << 8


def _operands(context: Context, operation: str) -> None:
    record = context.record
    if not isinstance(context.operands[0], Name):
        raise PtxError(f"{context.instruction.opcode} writes no register")
    context.operation(operation)
    record.d, record.a, record.b = context.written("u32"), context.source("u32", 1), context.source("u32", 2)
    record.c = context.source("u32", 3) if len(context.operands) == 4 else record.a
