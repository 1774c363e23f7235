"""Comparisons, selection, branches, calls, barriers."""

from __future__ import annotations

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import BOOLEANS, COMPARISONS, FTZ, TYPES
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.model import SIZES, Group, Immediate, Name, Pair

_UNSIGNED_ONLY = ("lo", "ls", "hi", "hs")
_FLOAT_ONLY = ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
_INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
_BITS = {"b16": "u16", "b32": "u32", "b64": "u64"}
_FLOATS = ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2")
BARRIERS = {"sync": 0, "popc": 1, "and": 2, "or": 3, "arrive": 4}  # barriers.h, enum BarrierMode


def _comparison(context: Context, modifiers: Modifiers, results: tuple[str, ...] = ()) -> tuple[str, str]:
    """Read ``.op{.bool}{.ftz}{.result}.type`` into the record; gives (result type, compared type)."""
    test = modifiers.need(*COMPARISONS)
    boolean = modifiers.take(*BOOLEANS)
    flush = modifiers.take("ftz")
    result = modifiers.need(*results) if results else ""
    kind = modifiers.need(*_INTEGERS, *_BITS, *_FLOATS)
    is_float = kind in _FLOATS
    if test in _FLOAT_ONLY and not is_float:
        modifiers.refuse()
    if test in _UNSIGNED_ONLY and (is_float or kind[0] != "u"):
        modifiers.refuse()
    if kind in _BITS and test not in ("eq", "ne"):
        modifiers.refuse()
    if flush and kind not in ("f32", "f16", "f16x2"):
        modifiers.refuse()
    record = context.record
    record.mode = COMPARISONS[test]
    record.vector = BOOLEANS.get(boolean, 0)
    record.flags = FTZ if flush else 0
    record.source_type = TYPES[_BITS.get(kind, kind.removesuffix("x2"))]
    context.count(4 if boolean else 3)
    record.a, record.b = context.source(kind, 1), context.source(kind, 2)
    if boolean:
        record.c, negated = context.predicate(3)
        record.vector |= 4 if negated else 0
    return result, kind


@handles("setp")
def set_predicate(context: Context, modifiers: Modifiers) -> None:
    _, kind = _comparison(context, modifiers)
    record = context.record
    target = context.operands[0]
    names = (target.first, target.second) if isinstance(target, Pair) else (getattr(target, "name", ""), "_")
    context.operation("setp2" if kind.endswith("x2") else "setp")
    record.d, record.e = (-1 if name == "_" else context.frame.register(name, 0) for name in names)


@handles("set")
def set_register(context: Context, modifiers: Modifiers) -> None:
    result, kind = _comparison(
        context, modifiers, ("u32", "s32", "f32", "u16", "s16", "f16", "bf16", "f16x2", "bf16x2")
    )
    halves = kind in ("f16", "bf16")
    if result == "bf16" and context.record.flags & FTZ:
        modifiers.refuse()
    if kind.endswith("x2"):
        right = result in (kind, "u32", "s32")
    else:
        right = result in ("u32", "s32", "bf16", *(("u16", "s16") if halves else ("f32",))) or (
            result == "f16" and kind != "bf16"
        )
    if not right:
        modifiers.refuse()
    if kind.endswith("x2"):
        context.operation("set2")
        half = result.removesuffix("x2") if result.endswith("x2") else "u16"
        context.record.type = TYPES[half]
    else:
        context.operation("set")
        context.record.type = TYPES[result]
    context.record.d = context.written(result)


@handles("selp")
def select(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need("b16", "b32", "b64", *_INTEGERS, "f32", "f64")
    context.count(4)
    context.operation("selp_b64" if SIZES[kind] == 8 else "selp_b32")
    record = context.record
    record.d, record.a, record.b = context.written(kind), context.source(kind, 1), context.source(kind, 2)
    record.c, negated = context.predicate(3)
    if negated:
        record.a, record.b = record.b, record.a


@handles("slct")
def select_by_sign(context: Context, modifiers: Modifiers) -> None:
    flush = modifiers.take("ftz")
    kind = modifiers.need("b16", "b32", "b64", *_INTEGERS, "f32", "f64")
    test = modifiers.need("f32" if flush else "s32", "f32")
    context.count(4)
    context.operation(f"slct_b{max(32, 8 * SIZES[kind])}_{test}")
    record = context.record
    record.d, record.a, record.b = context.written(kind), context.source(kind, 1), context.source(kind, 2)
    record.c, record.flags = context.source(test, 3), FTZ if flush else 0


@handles("pmevent")
def performance_event(context: Context, modifiers: Modifiers) -> None:
    """A signal for a profiler."""
    modifiers.take("mask")
    context.count(1)
    context.operation("nop")


@handles("bra")
def branch(context: Context, modifiers: Modifiers) -> None:
    modifiers.take("uni")
    context.count(1)
    context.operation("bra")
    label = context.operands[0]
    assert isinstance(label, Name)
    record = context.record
    record.target = context.function.index(context.instruction.scope, label.name)
    record.reconverge = context.function.meeting(context.instruction)
    context.category = "branch"


@handles("brx")
def branch_by_index(context: Context, modifiers: Modifiers) -> None:
    modifiers.need("idx")
    modifiers.take("uni")
    context.count(2)
    context.operation("brx")
    record = context.record
    record.a = context.source("u32", 0)
    record.target, record.vector = context.function.branch_table(context.instruction)
    record.reconverge = context.function.meeting(context.instruction)
    context.category = "branch"


@handles("ret")
def leave(context: Context, modifiers: Modifiers) -> None:
    modifiers.take("uni")
    context.count(0)
    if context.function.kernel:
        return context.operation("exit")
    # Lanes that return early wait at the function's end for the others.
    context.operation("bra")
    context.record.target = context.function.end
    context.record.reconverge = context.function.meeting(context.instruction)


@handles("exit")
def leave_kernel(context: Context, modifiers: Modifiers) -> None:
    context.count(0)
    context.operation("exit")


@handles("trap")
def trap(context: Context, modifiers: Modifiers) -> None:
    context.count(0)
    context.operation("trap")


@handles("call")
def call(context: Context, modifiers: Modifiers) -> None:
    modifiers.take("uni")
    operands = list(context.operands)
    results = _names(operands.pop(0)) if operands and isinstance(operands[0], Group) else []
    if not operands or not isinstance(operands[0], Name):
        raise PtxError("call of nothing")
    callee = operands.pop(0).name
    arguments = _names(operands.pop(0)) if operands and isinstance(operands[0], Group) else []
    if context.frame.type_of(callee) is not None:  # see ptx/indirect.py: no function has this address
        context.operation("bad_call")
        context.record.a = context.frame.register(callee, 8)
        return
    if operands:
        modifiers.refuse()
    context.function.call(context, callee, arguments, results)


def _names(group: Group) -> list[str]:
    if not all(isinstance(item, Name) for item in group.items):
        raise Unsupported("call with an argument that is no .param variable")
    return [item.name for item in group.items if isinstance(item, Name)]


@handles("bar", "barrier")
def barrier(context: Context, modifiers: Modifiers) -> None:
    record = context.record
    if modifiers.root == "bar" and modifiers.take("warp"):
        modifiers.need("sync")
        context.count(1)
        context.operation("bar_warp")
        record.a = context.source("b32", 0)
        return
    modifiers.take("cta")
    what = modifiers.need("sync", "red", "arrive")
    aligned = modifiers.root == "bar" or bool(modifiers.take("aligned"))
    context.operation("bar")
    record.vector = int(not aligned)
    first, operands = 0, len(context.operands)
    if what == "red":
        kind = modifiers.need("popc", "and", "or")
        record.mode = BARRIERS[kind]
        modifiers.need("u32" if kind == "popc" else "pred")
        context.count(3, 4)
        record.d = context.written("u32" if kind == "popc" else "pred")
        record.a, negated = context.predicate(operands - 1)
        record.flags = int(negated)
        first, operands = 1, operands - 2
    elif what == "arrive":
        record.mode = BARRIERS["arrive"]
        context.count(2)
    else:
        context.count(1, 2)
    number, *count = context.operands[first : first + operands]
    if isinstance(number, Immediate) and not 0 <= number.value < 16:
        raise PtxError(f"{context.instruction.opcode} of barrier {number.value}: there are 16, from 0 on")
    if count and isinstance(count[0], Immediate) and (count[0].value % 32 or not 0 <= count[0].value <= 1024):
        raise PtxError(
            f"{context.instruction.opcode} with a count of {count[0].value}, which is no whole number of warps"
        )
    record.b = context.source("u32", first)
    record.immediate = number.value if isinstance(number, Immediate) and not count else -1
    if count:
        record.c = context.source("u32", first + 1)


@handles("membar", "fence")
def fence(context: Context, modifiers: Modifiers) -> None:
    """Memory is in order here anyway; a fence tells the search for races what the program relies on."""
    if modifiers.root == "membar":
        scope = modifiers.need("cta", "gl", "sys")
    else:
        modifiers.take("sc", "acq_rel", "acquire", "release")
        scope = modifiers.need("cta", "gpu", "sys")
    context.count(0)
    context.operation("fence")
    context.record.mode = {"cta": 0, "gl": 1, "gpu": 1, "sys": 2}[scope]


@handles("nanosleep")
def sleep(context: Context, modifiers: Modifiers) -> None:
    """May end at any time up to twice the given one; here the clock goes on by it."""
    modifiers.need("u32")
    context.count(1)
    context.operation("sleep")
    context.record.a = context.source("u32", 0)
