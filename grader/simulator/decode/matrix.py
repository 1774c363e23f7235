"""Matrix instructions: mma, wmma, ldmatrix, stmatrix, movmatrix. Shapes and types of the PTX ISA 9.0.

Not modelled, and refused by name: mma.m8n8k4 of f16, sparse and block-scaled mma, numbers of 1, 4, 6 and 8-bit
floating-point types, .satfinite of floating-point sums, and wgmma and tcgen05.
"""

from __future__ import annotations

import re

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.frame import lane_bytes
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import SPACES, TYPES
from grader.simulator.ptx.errors import PtxError
from grader.simulator.ptx.model import Address, Group, Name, Operand

SIGNED_A, SIGNED_B, SATURATE, CROSSED = 1, 2, 4, 8  # matrix.h, enum MatrixFlag
_A, _B, _SUM = range(3)  # fragments.h, enum Role
_TYPES = {**TYPES, "tf32": 12}  # matrix.h
_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1, "u8": 1, "f32": 4, "s32": 4, "f64": 8}
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
# mma: the type of A and B -> the shapes.
_MMA = {
    "f16": ("m16n8k8", "m16n8k16"),
    "bf16": ("m16n8k8", "m16n8k16"),
    "tf32": ("m16n8k4", "m16n8k8"),
    "s8": ("m8n8k16", "m16n8k16", "m16n8k32"),
    "u8": ("m8n8k16", "m16n8k16", "m16n8k32"),
    "f64": ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"),
}
_WIDE = ("m16n16k16", "m32n8k16", "m8n32k16")
_WMMA = {
    "f16": _WIDE, "bf16": _WIDE, "s8": _WIDE, "u8": _WIDE, "tf32": ("m16n16k8",), "f64": ("m8n8k4",),
}  # fmt: skip
_SUMS = {"f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "s8": ("s32",), "u8": ("s32",), "f64": ("f64",)}
_SUM_SHAPES = {"f16": _WIDE, "f32": (*_WIDE, "m16n16k8"), "s32": _WIDE, "f64": ("m8n8k4",)}


def _turned(shape: str) -> str:
    """m8n32k16 is done as the transposed product, m32n8k16: A and B change places, C and D lie across."""
    return "m32n8k16" if shape == "m8n32k16" else shape


def _shape(name: str) -> tuple[int, int, int]:
    found = _SHAPE.fullmatch(name)
    assert found is not None  # it is one of those above
    return int(found[1]), int(found[2]), int(found[3])


def _packed(name: str) -> int:
    m, n, k = _shape(name)
    return m | n << 8 | k << 16


def _registers(role: int, name: str, kind: str, *, wmma: bool) -> int:
    """How many registers the instruction names. wmma names A and B of f16 with eight, whatever the shape."""
    if wmma and kind == "f16" and role != _SUM:
        return 8
    m, n, k = _shape(name)
    elements = (m * k, n * k, m * n)[role]
    return elements * _BYTES[kind] // (32 * max(4, _BYTES[kind]))


def _register_kind(kind: str) -> str:
    return kind if kind in ("f32", "f64") else "b32"


def _list(context: Context, operand: Operand, role: int, name: str, kind: str, *, wmma: bool, written: bool = False):
    """(where in the program's lists, how many) of a fragment's registers."""
    count = _registers(role, name, kind, wmma=wmma)
    items = context.list_of(operand, count)
    slots = []
    for item in items:
        if written and not isinstance(item, Name):
            raise PtxError(f"{context.instruction.opcode} writes no register")
        if written and item.name == "_":
            raise PtxError(f"{context.instruction.opcode} into _")
        slots.append(_register(context, item, kind) if written else context.slot(item, _register_kind(kind)))
    return context.function.keep_list(slots), count


def _register(context: Context, item: Name, kind: str) -> int:
    return context.frame.register(item.name, lane_bytes(_register_kind(kind)))


def _multiply(context: Context, shape: str, kinds: tuple[str, str, str, str], flags: int, *, wmma: bool) -> None:
    """``kinds``: of D, A, B, C."""
    context.count(4)
    context.operation("mma")
    record = context.record
    record.mode, record.flags = _packed(_turned(shape)), flags
    record.type, record.source_type, record.vector = _TYPES[kinds[0]], _TYPES[kinds[1]], _TYPES[kinds[3]]
    lists = [
        _list(context, operand, role, shape, kind, wmma=wmma, written=k == 0)[0]
        for k, (operand, role, kind) in enumerate(zip(context.operands, (_SUM, _A, _B, _SUM), kinds, strict=True))
    ]
    d, a, b, c = lists
    record.values = [d, a, b, c] if shape == _turned(shape) else [d, b, a, c]
    record.flags |= SIGNED_A * (kinds[1] == "s8") | SIGNED_B * (kinds[2] == "s8")


@handles("mma")
def multiply(context: Context, modifiers: Modifiers) -> None:
    modifiers.need("sync")
    modifiers.need("aligned")
    shape = modifiers.need(*{shape for shapes in _MMA.values() for shape in shapes})
    modifiers.need("row")
    modifiers.need("col")
    saturate = modifiers.take("satfinite")
    d = modifiers.need("f16", "f32", "s32", "f64")
    a = modifiers.need(*_MMA)
    b = modifiers.need("s8", "u8") if a in ("s8", "u8") else modifiers.need(a)
    c = modifiers.need(d)
    modifiers.done()
    if shape not in _MMA[a] or d not in _SUMS[a] or (saturate and d != "s32"):
        modifiers.refuse()
    _multiply(context, shape, (d, a, b, c), SATURATE if saturate else 0, wmma=False)


@handles("wmma")
def warp_matrix(context: Context, modifiers: Modifiers) -> None:
    what = modifiers.need("load", "store", "mma")
    if what == "mma":
        return _warp_multiply(context, modifiers)
    part = modifiers.need("d") if what == "store" else modifiers.need("a", "b", "c")
    modifiers.need("sync")
    modifiers.need("aligned")
    layout = modifiers.need("row", "col")
    shape = modifiers.need(*_WIDE, "m16n16k8", "m8n8k4")
    space = modifiers.take("global", "shared", "shared::cta").split("::")[0]
    role = {"a": _A, "b": _B}.get(part, _SUM)
    shapes = _SUM_SHAPES if role == _SUM else _WMMA
    kind = modifiers.need(*shapes)
    modifiers.done()
    if shape not in shapes[kind]:
        modifiers.refuse()
    context.count(2, 3)
    context.operation(f"wmma_{what}")
    context.category = what
    record = context.record
    turned = shape != _turned(shape)
    record.mode, record.type = _packed(_turned(shape)), _TYPES[kind]
    record.source_type = role if not turned or role == _SUM else _A + _B - role
    record.bytes, record.vector, record.space = _BYTES[kind], 1, SPACES[space]
    along = "col" if role == _B else "row"
    record.flags = CROSSED if (layout != along) != (turned and role == _SUM) else 0
    by_rows = record.bytes == 2 or (record.bytes == 1 and not record.flags)
    if space == "shared" and role != _SUM and by_rows:  # ptxas makes an ldmatrix of it
        context.category = "matrix_load"
    fragment, where = context.operands[:2] if what == "load" else reversed(context.operands[:2])
    context.address(where, space)
    record.values[0], record.values[1] = _list(
        context, fragment, role, shape, kind, wmma=True, written=what == "load"
    )
    if len(context.operands) == 3:
        record.e = context.source("b32", 2)
    else:
        m, n, k = _shape(shape)
        line, across = ((k, m), (k, n), (n, m))[role]
        record.e = context.frame.constant(line if layout == along else across, 4)


def _warp_multiply(context: Context, modifiers: Modifiers) -> None:
    modifiers.need("sync")
    modifiers.need("aligned")
    modifiers.need("row", "col")
    modifiers.need("row", "col")
    shape = modifiers.need(*_WIDE, "m16n16k8", "m8n8k4")
    d = modifiers.need("f16", "f32", "s32", "f64")
    a = modifiers.take("bf16", "tf32", "s8", "u8") if d in ("f32", "s32") else modifiers.take("f64")
    if a:
        modifiers.need(a)
        c = modifiers.need(d)
    else:
        a, c = "f16", modifiers.need("f16", "f32")
    saturate = d == "s32" and modifiers.take("satfinite")
    if d == "f64":
        modifiers.take("rn")
    modifiers.done()
    if shape not in _WMMA[a] or d not in _SUMS[a]:
        modifiers.refuse()
    _multiply(context, shape, (d, a, a, c), SATURATE if saturate else 0, wmma=True)


@handles("ldmatrix", "stmatrix")
def move_rows(context: Context, modifiers: Modifiers) -> None:
    store = modifiers.root == "stmatrix"
    modifiers.need("sync")
    modifiers.need("aligned")
    modifiers.need("m8n8")
    count = int(modifiers.need("x1", "x2", "x4")[1:])
    crossed = modifiers.take("trans")
    space = modifiers.take("shared", "shared::cta").split("::")[0]
    modifiers.need("b16")
    modifiers.done()
    context.count(2)
    where, rows = context.operands if store else reversed(context.operands)
    if not isinstance(where, Address) or not isinstance(rows, Group):
        raise PtxError(f"{modifiers.opcode} needs an address and a list of registers")
    context.operation(modifiers.root)
    context.category = "matrix_store" if store else "matrix_load"
    record = context.record
    record.mode, record.bytes, record.vector, record.space = count, 16, 1, SPACES[space]
    record.flags = CROSSED if crossed else 0
    context.address(where, space)
    for k, item in enumerate(context.list_of(rows, count)):
        if not isinstance(item, Name):
            raise PtxError(f"{modifiers.opcode} needs registers")
        record.values[k] = context.frame.register(item.name, 4)


@handles("movmatrix")
def transpose(context: Context, modifiers: Modifiers) -> None:
    for word in ("sync", "aligned", "m8n8", "trans", "b16"):
        modifiers.need(word)
    context.count(2)
    context.operation("movmatrix")
    context.record.d, context.record.a = context.written("b32"), context.source("b32", 1)
