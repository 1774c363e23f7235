"""cvt: between any two of the integer and floating-point types."""

from __future__ import annotations

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.frame import lane_bytes
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import (
    BF16,
    FTZ,
    INTEGER,
    RELU,
    ROUNDINGS,
    SAT,
    SAT_FINITE,
    SIGNED,
    TYPES,
)
from grader.simulator.ptx.errors import PtxError
from grader.simulator.ptx.model import SIZES, Name

_TO_INTEGER = {"rni": 0, "rzi": 1, "rmi": 2, "rpi": 3}
_EIGHT_BITS = ("e4m3x2", "e5m2x2")  # narrow.h: the number is Instruction::mode
_BYTES = {"u8", "s8"}
_FLOAT_BITS = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}  # of the significand

# Conversions that have a vector loop of their own: (rounding, result, source) -> operation.
_FAST = {
    ("", "f32", "f16"): "cvt_f32_f16", ("rn", "f16", "f32"): "cvt_f16_f32",
    ("", "f32", "bf16"): "cvt_f32_bf16", ("rn", "bf16", "f32"): "cvt_bf16_f32",
    ("rn", "f32", "s32"): "cvt_f32_s32", ("rn", "f32", "u32"): "cvt_f32_u32",
    ("", "f64", "f32"): "cvt_f64_f32", ("rn", "f32", "f64"): "cvt_f32_f64",
}  # fmt: skip


@handles("cvt")
def convert(context: Context, modifiers: Modifiers) -> None:
    if modifiers.take("pack"):
        return _pack_integers(context, modifiers)
    rounding = modifiers.take(*ROUNDINGS, *_TO_INTEGER, "rna")
    finite = modifiers.take("satfinite")
    relu = modifiers.take("relu")
    finite = finite or modifiers.take("satfinite")
    flush, saturate = modifiers.take("ftz"), modifiers.take("sat")
    packed = modifiers.take("f16x2", "bf16x2")
    if packed == "f16x2" and (source := modifiers.take(*_EIGHT_BITS)):
        return _from_eight_bits(context, modifiers, source, (rounding, finite, flush, saturate), relu)
    if not packed and (result := modifiers.take("tf32", *_EIGHT_BITS)):
        narrow = _to_tf32 if result == "tf32" else _to_eight_bits
        return narrow(context, modifiers, result, rounding, finite, relu, flush or saturate)
    result = packed.removesuffix("x2") or modifiers.need(*TYPES)
    source = modifiers.need("f32") if packed else modifiers.need(*TYPES)
    extra = bool(relu or finite)
    _check(modifiers, rounding, result, source, extra, bool(flush), bool(saturate), bool(packed))
    record = context.record
    record.type, record.source_type = TYPES[result], TYPES[source]
    record.flags = (
        {**ROUNDINGS, **_TO_INTEGER}.get(rounding, 0)
        | (INTEGER if rounding in _TO_INTEGER else 0)
        | (FTZ if flush else 0)
        | (SAT if saturate else 0)
        | (RELU if relu else 0)
        | (SAT_FINITE if finite else 0)
        | (BF16 if result == "bf16" else 0)
    )
    if packed:
        context.count(3)
        context.operation("cvt_pack_half2")
        record.d, record.a, record.b = (
            context.written("b32"),
            context.source("f32", 1),
            context.source("f32", 2),
        )
        return
    context.count(2)
    if "bf16" in (result, source) and _BYTES & {result, source}:  # here, a register may not be wider
        operand = context.operands[0 if result in _BYTES else 1]
        if not isinstance(operand, Name) or context.frame.type_of(operand.name) not in (*_BYTES, "b8"):
            modifiers.refuse()
    record.a, source_lane = context.any_width(1, source)
    record.d, result_lane = _result(context, result)
    plain = not (flush or saturate or extra)
    if plain and source_lane == lane_bytes(source) and (fast := _FAST.get((rounding, result, source))):
        if result_lane == lane_bytes(result):
            return context.operation(fast)
    if plain and (name := _integer_move(result, source, source_lane, result_lane)):
        return context.operation(name)
    context.operation(f"cvt_{8 * result_lane}_{8 * source_lane}")


def _to_eight_bits(
    context: Context, modifiers: Modifiers, result: str, rounding: str, finite: str, relu: str, other: str
) -> None:
    """Two numbers to two bytes: from two registers, the first to the upper byte, or from one with two halves."""
    source = modifiers.need("f32", "f16x2")
    if rounding != "rn" or not finite or other:
        modifiers.refuse()
    context.count(3 if source == "f32" else 2)
    context.operation(f"cvt_small_{source}")
    record = context.record
    record.mode, record.flags = _EIGHT_BITS.index(result), RELU if relu else 0
    record.d, record.a = context.written("b16"), context.source("b32", 1)
    record.b = context.source("b32", 2) if source == "f32" else record.a


def _from_eight_bits(
    context: Context, modifiers: Modifiers, source: str, how: tuple[str, str, str, str], relu: str
) -> None:
    if how != ("rn", "", "", ""):
        modifiers.refuse()
    context.count(2)
    context.operation("cvt_f16x2_small")
    record = context.record
    record.mode, record.flags = _EIGHT_BITS.index(source), RELU if relu else 0
    record.d, record.a = context.written("b32"), context.source("b16", 1)


def _to_tf32(
    context: Context, modifiers: Modifiers, result: str, rounding: str, finite: str, relu: str, other: str
) -> None:
    modifiers.need("f32")
    if other or (relu if rounding == "rna" else finite or rounding not in ("rn", "rz")):
        modifiers.refuse()
    context.count(2)
    context.operation("cvt_tf32")
    record = context.record
    record.mode = ("rn", "rz", "rna").index(rounding)
    record.flags = (RELU if relu else 0) | (SAT_FINITE if finite else 0)
    record.d, record.a = context.written("b32"), context.source("b32", 1)


def _pack_integers(context: Context, modifiers: Modifiers) -> None:
    """Two integers, clamped, as two fields; below 16 bits, a third operand's bits stand above them."""
    modifiers.need("sat")
    kind = modifiers.need("u16", "s16", "u2", "s2", "u4", "s4", "u8", "s8")
    modifiers.need("s32")
    if third := kind[1:] != "16":
        modifiers.need("b32")
    context.count(4 if third else 3)
    context.operation("cvt_pack_integers")
    record = context.record
    record.bytes, record.flags = int(kind[1:]), SIGNED if kind[0] == "s" else 0
    record.d, record.a, record.b = context.written("b32"), context.source("s32", 1), context.source("s32", 2)
    record.c = context.source("b32", 3) if third else record.a


def _result(context: Context, kind: str) -> tuple[int, int]:
    """The result's register may be wider than its type: the value is extended."""
    operand = context.operands[0]
    own = context.frame.type_of(operand.name) if isinstance(operand, Name) else None
    if own is None or own == "pred" or SIZES[own] < SIZES[kind]:
        raise PtxError(f"{context.instruction.opcode} into such an operand")
    return context.frame.register(operand.name, lane_bytes(own)), lane_bytes(own)


def _integer_move(result: str, source: str, source_lane: int, result_lane: int) -> str | None:
    """Extending and cutting integers as a vector loop, where there is one."""
    if result[0] not in "us" or source[0] not in "us":
        return None
    narrow = result if SIZES[result] < SIZES[source] else source
    if result_lane == 8:
        if source_lane == 8:
            return "mov_b64" if SIZES[narrow] == 8 else None
        return f"cvt_b64_{narrow}" if SIZES[result] == 8 else None
    if source_lane == 8:
        return "cvt_b32_b64" if SIZES[result] == 4 and SIZES[source] == 8 else None
    return "mov_b32" if SIZES[narrow] == 4 else f"cvt_b32_{narrow}"


def _holds(result: str, source: str) -> bool:
    """Whether an integer type has every value of another one."""
    if result[0] == source[0]:
        return SIZES[result] >= SIZES[source]
    return result[0] == "s" and SIZES[result] > SIZES[source]


def _check(
    modifiers: Modifiers,
    rounding: str,
    result: str,
    source: str,
    extra: bool,  # .relu or .satfinite
    flush: bool,
    saturate: bool,
    packed: bool,
) -> None:
    """Refuse what the ISA does not define: a rounding that is missing, or one where nothing is rounded."""
    to_float, from_float = result in _FLOAT_BITS, source in _FLOAT_BITS
    if from_float and not to_float:
        right = rounding in _TO_INTEGER
    elif to_float and not from_float:
        right = rounding in ROUNDINGS
    elif to_float and from_float:
        narrowing = _FLOAT_BITS[result] < _FLOAT_BITS[source] or (result, source) == ("f16", "bf16")
        if result == source:
            right = rounding in _TO_INTEGER or rounding == ""
        else:
            right = rounding in ROUNDINGS if narrowing else rounding == ""
    else:
        right = rounding == ""
    if flush and "f32" not in (result, source):
        right = False
    if "bf16" in (result, source) and saturate:
        right = False
    if not to_float and not from_float and saturate and _holds(result, source):
        right = False
    if extra and (saturate or flush or rounding not in ("rn", "rz")):
        right = False
    if extra and (source != "f32" or result not in ("f16", "bf16")):
        right = False
    if packed and (flush or saturate or rounding not in ("rn", "rz")):
        right = False
    if not right:
        modifiers.refuse()
