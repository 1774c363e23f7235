"""Moves, loads, stores, atomics, and conversions of addresses."""

from __future__ import annotations

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.frame import lane_bytes
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import (
    ACQUIRE,
    ATOMICS,
    BLOCK_SCOPE,
    CLOCKS,
    FTZ,
    LOCAL_WINDOW,
    RELEASE,
    SHARED_WINDOW,
    SIGN_EXTEND,
    SPACES,
    STRONG,
    TYPES,
    WIDE_REGISTER,
)
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.model import SIZES, Address, Group, Name, Sum

_STATE_SPACES = ("global", "shared", "shared::cta", "local", "param", "param::entry", "param::func", "const")
_DATA = ("b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64")
# Hints for caches. They change no value, and the counters here are those in front of the caches.
_CACHE = (
    "ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
    "L1::evict_last", "L1::no_allocate", "L2::evict_normal", "L2::evict_first", "L2::evict_last",
    "L2::64B", "L2::128B", "L2::256B",
)  # fmt: skip
# Blocks, warps and lanes run in one fixed order, which satisfies every memory order and scope; the search for
# races asks for them (PTX ISA 9.0, memory consistency model: volatile is relaxed of system scope).
_SEMANTICS = ("relaxed", "acquire", "release", "acq_rel")
_SCOPES = ("cta", "gpu", "sys")
_ORDER = {
    "volatile": STRONG, "relaxed": STRONG, "cta": BLOCK_SCOPE, "acquire": STRONG | ACQUIRE,
    "release": STRONG | RELEASE, "acq_rel": STRONG | ACQUIRE | RELEASE,
}  # fmt: skip


def _order(modifiers: Modifiers, *more: str) -> int:
    """The memory order that an access names, as flags."""
    flags = 0
    while word := modifiers.take(*_SEMANTICS, *_SCOPES, *more):
        flags |= _ORDER.get(word, 0)
    return flags


@handles("mov")
def move(context: Context, modifiers: Modifiers) -> None:
    context.count(2)
    kind = modifiers.need(
        "pred",
        "b16",
        "u16",
        "s16",
        "b32",
        "u32",
        "s32",
        "b64",
        "u64",
        "s64",
        "f32",
        "f64",
        "f16",
        "bf16",
        "f16x2",
    )
    target, source = context.operands
    record = context.record
    if kind == "pred":
        context.operation("mov_pred")
        record.d = context.written(kind)
        record.a, negated = context.predicate(1)
        if negated:
            modifiers.refuse()
    elif isinstance(target, Group):
        _unpack(context, target, kind)
    elif isinstance(source, Group):
        _pack(context, source, kind)
    elif isinstance(source, Name) and source.name in CLOCKS:
        record.mode, size = CLOCKS[source.name]
        if SIZES[kind] != size:
            modifiers.refuse()
        context.operation("clock")
        record.d = context.written(kind)
    elif (offset := _local_address(context, source)) is not None:
        if SIZES[kind] != 8:
            modifiers.refuse()
        context.operation("local_address")
        record.d, record.immediate = context.written(kind), offset
    else:
        context.operation(f"mov_b{8 * SIZES[kind]}")
        record.d, record.a = context.written(kind), context.source(kind, 1)


def _local_address(context: Context, source) -> int | None:
    """The offset of a local variable in its function's local frame, if ``source`` names one."""
    if not isinstance(source, Name | Sum) or context.frame.type_of(source.name) is not None:
        return None
    place = context.function.place(source.name)
    if place is None or place.space != "local":
        return None
    return place.offset + (source.offset if isinstance(source, Sum) else 0)


def _part(context: Context, kind: str, count: int) -> str:
    bits = 8 * SIZES[kind] // count
    if count not in (2, 4) or bits not in (16, 32):
        raise Unsupported(f"{context.instruction.opcode} of {count} parts")
    return f"b{bits}"


def _pack(context: Context, source: Group, kind: str) -> None:
    part = _part(context, kind, len(source.items))
    context.record.d = context.written(kind)
    slots = [context.slot(item, part) for item in source.items]
    if len(slots) == 2:
        context.operation(f"pack_b{8 * SIZES[kind]}")
        context.record.a, context.record.b = slots
        return
    context.operation("pack4")
    context.record.values = slots


def _unpack(context: Context, target: Group, kind: str) -> None:
    part = _part(context, kind, len(target.items))
    context.operation("unpack")
    record = context.record
    record.a, record.bytes, record.vector = context.source(kind, 1), SIZES[kind], len(target.items)
    for k, item in enumerate(target.items):
        if not isinstance(item, Name):
            raise PtxError("mov into something that is no register")
        record.values[k] = -1 if item.name == "_" else context.frame.register(item.name, lane_bytes(part))


def _space(modifiers: Modifiers) -> str:
    return modifiers.take(*_STATE_SPACES).split("::")[0]


@handles("ld", "st")
def load_store(context: Context, modifiers: Modifiers) -> None:
    store = modifiers.root == "st"
    order = _order(modifiers, "weak", "volatile")
    space = _space(modifiers)
    if not store and space == "global":
        modifiers.take("nc")
    modifiers.skip(*_CACHE)
    if not store and space == "global":
        modifiers.take("nc")
        modifiers.skip(*_CACHE)
    vector = {"": 1, "v2": 2, "v4": 4}[modifiers.take("v2", "v4")]
    kind = modifiers.need(*_DATA)
    context.count(2)
    where, value = context.operands if store else reversed(context.operands)
    record = context.record
    record.bytes, record.vector = SIZES[kind], vector
    record.flags = SIGN_EXTEND if kind[0] == "s" else 0
    items = context.list_of(value, vector)
    if vector * SIZES[kind] > 16:
        modifiers.refuse()
    lanes = set()
    for k, item in enumerate(items):
        if isinstance(item, Name) and item.name == "_" and not store:
            continue
        slot, lane = _value(context, item, kind, store)
        record.values[k] = slot
        lanes.add(lane)
    if len(lanes) > 1:
        modifiers.refuse()
    record.flags |= (WIDE_REGISTER if lanes == {8} else 0) | order
    if space == "const" and store:
        modifiers.refuse()
    if space == "param":
        return _parameter(context, modifiers, where, store)
    context.operation(modifiers.root)
    record.space = SPACES[space]
    context.address(where, space)
    if space in ("", "global", "shared", "local"):
        context.category = "store" if store else "load"


def _value(context: Context, item, kind: str, store: bool) -> tuple[int, int]:
    """The slot of a loaded or stored element, whose register may be wider than its type."""
    if isinstance(item, Name):
        own = context.frame.type_of(item.name)
        if own is not None:
            if own == "pred" or SIZES[own] < SIZES[kind]:
                raise PtxError(f"{item.name} of type .{own} does not fit {context.instruction.opcode}")
            return context.frame.register(item.name, lane_bytes(own)), lane_bytes(own)
    if not store:
        raise PtxError(f"{context.instruction.opcode} into something that is no register")
    wide = kind if SIZES[kind] > 1 else "b16"
    return context.slot(item, wide), lane_bytes(wide)


def _parameter(context: Context, modifiers: Modifiers, where, store: bool) -> None:
    """A kernel's parameters are the launch's; those of device functions and calls lie in local memory."""
    if not isinstance(where, Address):
        raise PtxError(f"{modifiers.opcode} needs an address")
    place = context.function.place(where.base) if where.base else None
    record = context.record
    if place is not None and place.space == "local":
        context.operation(modifiers.root)
        record.space = SPACES["local"]
        record.immediate = place.offset + where.offset
        return
    if store:
        modifiers.refuse()
    if place is not None and place.space == "param":
        record.immediate = place.offset + where.offset
        if not 0 <= record.immediate <= context.function.parameter_bytes - record.bytes * record.vector:
            raise PtxError(f"{modifiers.opcode} outside the kernel's parameters")
        return context.operation("ld_param")
    context.operation("ld")
    record.space = SPACES["param"]
    context.address(where, "param")


@handles("cvta")
def convert_address(context: Context, modifiers: Modifiers) -> None:
    to = modifiers.take("to")
    space = modifiers.need("global", "shared", "shared::cta", "local", "const").split("::")[0]
    kind = modifiers.need("u64")
    context.count(2)
    window = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}.get(space, 0)
    context.operation("add_immediate_b64")
    record = context.record
    record.d, record.a = context.written(kind), context.source(kind, 1)
    record.immediate = -window if to else window


@handles("isspacep")
def is_space(context: Context, modifiers: Modifiers) -> None:
    space = modifiers.need("global", "shared", "shared::cta", "local").split("::")[0]
    context.count(2)
    context.operation("isspacep")
    record = context.record
    record.d, record.a, record.space = context.written("pred"), context.source("b64", 1), SPACES[space]


@handles("atom", "red")
def atomic(context: Context, modifiers: Modifiers) -> None:
    reduction = modifiers.root == "red"
    order = _order(modifiers)
    space = modifiers.take("global", "shared", "shared::cta").split("::")[0]
    order |= _order(modifiers)  # the compiler writes the scope behind the space
    what = modifiers.need(*ATOMICS)
    modifiers.take("noftz")
    modifiers.skip(*_CACHE)
    kind = modifiers.need(
        "u32", "s32", "u64", "s64", "b16", "b32", "b64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"
    )
    if kind not in _ATOMIC_TYPES[what] or (reduction and what in ("exch", "cas")):
        modifiers.refuse()
    context.count(*(((2,) if reduction else (3,)) if what != "cas" else (4,)))
    operands = context.operands if reduction else context.operands[1:]
    record = context.record
    context.operation("atom")
    record.mode, record.space, record.bytes, record.vector = ATOMICS[what], SPACES[space], SIZES[kind], 1
    record.type = TYPES[_AS_NUMBER.get(kind, kind.removesuffix("x2"))]
    if kind == "f32" and space != "shared":
        record.flags = FTZ  # atom.add.f32 on global memory flushes subnormal numbers, on shared memory not
    record.flags |= order | STRONG
    context.address(operands[0], space)
    record.b = context.slot(operands[1], kind)
    if what == "cas":
        record.c = context.slot(operands[2], kind)
    used = False
    if not reduction:
        record.d = context.destination(kind)
        target = context.operands[0]
        used = isinstance(target, Name) and target.name in context.function.read_names
    # ptxas turns an atomic whose result nobody reads into a reduction.
    context.category = "atomic" if used else "reduction"


_AS_NUMBER = {"b16": "u16", "b32": "u32", "b64": "u64"}
_ATOMIC_TYPES = {
    "add": ("u32", "s32", "u64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"),
    "min": ("u32", "s32", "u64", "s64"),
    "max": ("u32", "s32", "u64", "s64"),
    "and": ("b32", "b64"),
    "or": ("b32", "b64"),
    "xor": ("b32", "b64"),
    "exch": ("b32", "b64"),
    "cas": ("b16", "b32", "b64"),
    "inc": ("u32",),
    "dec": ("u32",),
}


@handles("prefetch", "prefetchu")
def prefetch(context: Context, modifiers: Modifiers) -> None:
    """A hint; what it names is not touched."""
    modifiers.take("global", "local")
    modifiers.need("L1", "L2")
    context.count(1)
    context.operation("nop")
