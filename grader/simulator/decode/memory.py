"""Moves, loads, stores, atomics, and conversions of addresses."""

from __future__ import annotations

from collections import defaultdict

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.frame import lane_bytes
from grader.simulator.decode.modifiers import Modifiers, by_word
from grader.simulator.decode.types import (
    ACQUIRE,
    ATOMICS,
    BLOCK_SCOPE,
    CLOCKS,
    COUNTS_ONES,
    FTZ,
    LOCAL_WINDOW,
    PARAMETERS,
    PAST_CACHE,
    RELEASE,
    SHARED_WINDOW,
    SIGN_EXTEND,
    SPACES,
    STRONG,
    TYPES,
    WIDE_REGISTER,
)
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.model import SIZES, Address, Group, Immediate, Name, Sum

_DATA = ("b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64")
# Hints for caches change no value, and the counters here are those in front of the caches.
_EVICTION = (
    "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate",
)  # fmt: skip
_ACCESS = {
    "scope": ("cta", "cluster", "gpu", "sys"),
    "mmio": ("mmio",),
    "eviction": _EVICTION,
    "hint": ("L2::cache_hint",),  # takes one more operand
}
_LOAD = by_word(
    {
        **_ACCESS,
        "order": ("weak", "volatile", "relaxed", "acquire"),
        "space": ("global", "shared", "shared::cta", "local", "param", "param::entry", "param::func", "const"),
        "nc": ("nc",),
        "cache": ("ca", "cg", "cs", "lu", "cv"),
        "prefetch": ("L2::64B", "L2::128B", "L2::256B"),
    }
)
_STORE = by_word(
    {
        **_ACCESS,
        "order": ("weak", "volatile", "relaxed", "release"),
        "space": ("global", "shared", "shared::cta", "local", "param", "param::func"),
        "cache": ("wb", "cg", "cs", "wt"),
    }
)
# Blocks, warps and lanes run in one fixed order, which satisfies every memory order and scope; the search for
# races asks for them (PTX ISA 9.0, memory consistency model: volatile is relaxed of system scope).
_ORDER = {
    "volatile": STRONG, "relaxed": STRONG, "cta": BLOCK_SCOPE, "acquire": STRONG | ACQUIRE,
    "release": STRONG | RELEASE, "acq_rel": STRONG | ACQUIRE | RELEASE,
}  # fmt: skip


def _order(found: defaultdict[str, str]) -> int:
    """The memory order that an access names, as flags."""
    return _ORDER.get(found["order"], 0) | _ORDER.get(found["scope"], 0)


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
    )
    target, source = context.operands
    record = context.record
    if kind == "pred":
        context.operation("mov_pred")
        record.d = context.written(kind)
        record.a, negated = context.predicate(1)
        record.flags = int(negated)
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
    if count not in (2, 4) or bits not in (8, 16, 32):
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
    context.record.bytes = SIZES[kind]
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


def _access(modifiers: Modifiers, store: bool) -> defaultdict[str, str]:
    """The modifiers in front of the type, which may stand in any order but not in any company."""
    found = modifiers.in_any_order(_STORE if store else _LOAD)
    space = found["space"] = found["space"].split("::")[0]
    order, cache = found["order"], found["cache"]
    ordered = order in ("relaxed", "acquire", "release")
    cached = bool(found["eviction"] or found["hint"] or found.get("prefetch"))
    wrong = (
        ordered != bool(found["scope"])
        or (found["mmio"] and (order, found["scope"]) != ("relaxed", "sys"))
        or (order not in ("", "weak") and (cache or space in ("local", "param", "const")))
        or (found.get("nc") and (order or space != "global"))
        or (cached and space not in ("", "global"))
        or (order == "volatile" and (found["eviction"] or found["hint"]))
        or (cache and found["eviction"])
    )
    if wrong:
        modifiers.refuse()
    return found


@handles("ld", "st", "ldu")
def load_store(context: Context, modifiers: Modifiers) -> None:
    store = modifiers.root == "st"
    found = _access(modifiers, store)
    space = found["space"]
    others = any(found[name] for name in found if name != "space")
    if modifiers.root == "ldu" and (others or space not in ("", "global")):
        modifiers.refuse()
    vector = {"": 1, "v2": 2, "v4": 4}[modifiers.take("v2", "v4")]
    kind = modifiers.need(*_DATA)
    if found["hint"]:  # how a cache should treat the line
        context.count(3)
        context.source("b64", 2)
        context.operands.pop()
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
    record.flags |= (WIDE_REGISTER if lanes == {8} else 0) | _order(found)
    if context.function.is_compared(context.instruction):
        record.flags |= STRONG
    if not store and found["cache"] in ("cg", "cv"):
        record.flags |= PAST_CACHE
    if space == "param":
        return _parameter(context, modifiers, where, store)
    context.operation("st" if store else "ld")
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
    space = modifiers.need("global", "shared", "shared::cta", "local", "const", "param", "param::entry").split("::")[0]
    kind = modifiers.need("u64")
    context.count(2)
    window = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW, "param": PARAMETERS}.get(space, 0)
    context.function.linker.addresses_parameters |= space == "param"
    context.operation("add_immediate_b64")
    record = context.record
    record.d, record.a = context.written(kind), context.source(kind, 1)
    record.immediate = -window if to else window


@handles("isspacep")
def is_space(context: Context, modifiers: Modifiers) -> None:
    """A kernel's parameters lie in global memory, too (PTX ISA 9.0, "Generic Addressing")."""
    space = modifiers.need("global", "shared", "shared::cta", "local", "param", "param::entry").split("::")[0]
    context.count(2)
    context.operation("isspacep")
    record = context.record
    record.d, record.a, record.space = context.written("pred"), context.source("b64", 1), SPACES[space]


_ATOMIC = by_word(
    {
        "order": ("relaxed", "acquire", "release", "acq_rel"),
        "scope": _ACCESS["scope"],
        "space": ("global", "shared", "shared::cta"),
        "what": tuple(ATOMICS),
        "noftz": ("noftz",),
        "hint": _ACCESS["hint"],
    }
)


@handles("atom", "red")
def atomic(context: Context, modifiers: Modifiers) -> None:
    reduction = modifiers.root == "red"
    found = modifiers.in_any_order(_ATOMIC)  # the compiler writes order and scope in front of space or behind
    space, what = found["space"].split("::")[0], found["what"]
    kind = modifiers.need(
        "u32", "s32", "u64", "s64", "b16", "b32", "b64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"
    )
    halves = kind.removesuffix("x2") in ("f16", "bf16")
    part = context.instruction.part  # of an atomic with a vector: see ptx/simplify.py
    wrong = (
        (kind not in _ATOMIC_TYPES.get(what, ()) and not (halves and part and what in ("min", "max")))
        or (reduction and (what in ("exch", "cas") or found["order"] in ("acquire", "acq_rel")))
        or bool(found["noftz"]) != halves
        or (found["hint"] and space == "shared")
    )
    if wrong:
        modifiers.refuse()
    if found["hint"]:
        context.source("b64", len(context.operands) - 1)
        context.operands.pop()
    context.count(*(((2,) if reduction else (3,)) if what != "cas" else (4,)))
    operands = context.operands if reduction else context.operands[1:]
    record = context.record
    context.operation("atom")
    record.mode, record.space, record.bytes, record.vector = ATOMICS[what], SPACES[space], SIZES[kind], 1
    record.type = TYPES[_AS_NUMBER.get(kind, kind.removesuffix("x2"))]
    if kind == "f32" and space != "shared":
        record.flags = FTZ  # atom.add.f32 on global memory flushes subnormal numbers, on shared memory not
    record.flags |= _order(found) | STRONG
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
    context.category = "" if part > 1 else "atomic" if used else "reduction"
    # One that adds the number 1 in shared memory becomes ATOMS.POPC.INC, in which lanes at one word need no turns
    # (histogram_shared in the list of measured launches; NVRTC 13.0's ptxas for sm_90).
    if not used and space == "shared" and what == "add" and kind in ("u32", "s32"):
        if isinstance(operands[1], Immediate) and operands[1].value == 1:
            record.flags |= COUNTS_ONES


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
    if modifiers.root == "prefetchu":
        modifiers.need("L1")
    else:
        space = modifiers.take("global", "local")
        modifiers.need("L1", "L2", *(() if space == "local" else ("L2::evict_last", "L2::evict_normal")))
    context.count(1)
    context.operation("nop")


@handles("applypriority")
def apply_priority(context: Context, modifiers: Modifiers) -> None:
    """A hint for the second-level cache."""
    modifiers.take("global")
    modifiers.need("L2::evict_normal")
    context.count(2)
    context.operation("nop")


@handles("createpolicy")
def create_policy(context: Context, modifiers: Modifiers) -> None:
    """A value that only cache hints take; here always 0."""
    first = ("L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged")
    how = modifiers.need("fractional", "range", "cvt")
    if how == "cvt":
        modifiers.need("L2")
    else:
        if how == "range":
            modifiers.take("global")
        modifiers.need(*first)
        modifiers.take("L2::evict_first", "L2::evict_unchanged")
    kind = modifiers.need("b64")
    context.count(*{"fractional": (1, 2), "range": (4,), "cvt": (2,)}[how])
    context.operation("mov_b64")
    context.record.d, context.record.a = context.written(kind), context.frame.constant(0, 8)
