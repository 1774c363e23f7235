"""cp.async: copies from global to shared memory that land when the thread waits for them."""

from __future__ import annotations

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import SPACES
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.model import Address, Immediate, Name

_ALL, _GROUPS = 0, 1  # async_copy.cpp, enum CopyMode


@handles("cp")
def copy(context: Context, modifiers: Modifiers) -> None:
    modifiers.need("async")
    what = modifiers.need("ca", "cg", "commit_group", "wait_group", "wait_all")
    if what == "commit_group":
        context.count(0)
        context.operation("async_commit")
    elif what == "wait_all":
        context.count(0)
        _wait(context, _ALL, 0)
    elif what == "wait_group":
        context.count(1)
        newest = context.operands[0]
        if not isinstance(newest, Immediate) or newest.value < 0:
            raise PtxError("cp.async.wait_group needs a constant")
        _wait(context, _GROUPS, newest.value)
    else:
        _start(context, modifiers, whole_lines=what == "cg")


def _wait(context: Context, mode: int, newest: int) -> None:
    context.operation("async_wait")
    context.record.mode, context.record.immediate = mode, newest


def _start(context: Context, modifiers: Modifiers, whole_lines: bool) -> None:
    modifiers.need("shared", "shared::cta")
    modifiers.need("global")
    modifiers.take("L2::64B", "L2::128B", "L2::256B")  # how much the cache fetches: no value changes
    modifiers.done()
    context.count(3, 4)
    to, source, size = context.operands[:3]
    record = context.record
    if not isinstance(size, Immediate) or size.value not in ((16,) if whole_lines else (4, 8, 16)):
        raise PtxError(f"{modifiers.opcode} copies {'16' if whole_lines else '4, 8 or 16'} bytes")
    context.operation("async_copy")
    context.category = "async_copy"
    record.bytes, record.vector, record.space = size.value, 1, SPACES["shared"]
    record.mode = int(whole_lines)  # how it is counted, no more
    context.address(to, "shared")
    record.b, record.values[0] = _source(context, source)
    if len(context.operands) == 4:
        last = context.operands[3]
        if isinstance(last, Name) and context.frame.type_of(last.name) == "pred":
            record.e, negated = context.predicate(3)
            record.flags = int(negated)
            return
        if isinstance(last, Immediate) and not 0 <= last.value <= size.value:
            raise PtxError(f"{modifiers.opcode} reads more than it copies")
        record.c = context.source("u32", 3)


def _source(context: Context, operand) -> tuple[int, int]:
    """The slot of a global address of 64 bits, and what is added to it."""
    opcode = context.instruction.opcode
    if not isinstance(operand, Address):
        raise PtxError(f"{opcode} needs an address")
    if operand.base is None:
        return context.frame.constant(operand.offset, 8), 0
    kind = context.frame.type_of(operand.base)
    if kind is not None:
        if not -(1 << 31) <= operand.offset < 1 << 31:
            raise Unsupported(f"{opcode} with an offset of more than 32 bits")
        return context.frame.register(operand.base, 8), operand.offset
    place = context.function.place(operand.base)
    if place is None:
        raise PtxError(f"{operand.base} is not declared")
    if place.space != "global":
        raise Unsupported(f"{opcode} of a variable in .{place.space}")
    return context.frame.constant(place.offset + operand.offset, 8), 0
