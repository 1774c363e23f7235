"""cvt: between any two of the integer and floating-point types."""

from __future__ import annotations

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.frame import lane_bytes
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import BF16, FTZ, INTEGER, RELU, ROUNDINGS, SAT, TYPES
from grader.simulator.ptx.errors import PtxError
from grader.simulator.ptx.model import SIZES, Name

_TO_INTEGER = {"rni": 0, "rzi": 1, "rmi": 2, "rpi": 3}
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
    rounding = modifiers.take(*ROUNDINGS, *_TO_INTEGER)
    relu, flush, saturate = modifiers.take("relu"), modifiers.take("ftz"), modifiers.take("sat")
    packed = modifiers.take("f16x2", "bf16x2")
    result = packed.removesuffix("x2") or modifiers.need(*TYPES)
    source = modifiers.need("f32") if packed else modifiers.need(*TYPES)
    _check(modifiers, rounding, result, source, bool(relu), bool(flush))
    record = context.record
    record.type, record.source_type = TYPES[result], TYPES[source]
    record.flags = (
        {**ROUNDINGS, **_TO_INTEGER}.get(rounding, 0)
        | (INTEGER if rounding in _TO_INTEGER else 0)
        | (FTZ if flush else 0)
        | (SAT if saturate else 0)
        | (RELU if relu else 0)
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
    record.a, source_lane = context.any_width(1, source)
    record.d, result_lane = _result(context, result)
    plain = not (flush or saturate or relu)
    if plain and source_lane == lane_bytes(source) and (fast := _FAST.get((rounding, result, source))):
        if result_lane == lane_bytes(result):
            return context.operation(fast)
    if plain and (name := _integer_move(result, source, source_lane, result_lane)):
        return context.operation(name)
    context.operation(f"cvt_{8 * result_lane}_{8 * source_lane}")


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


def _check(modifiers: Modifiers, rounding: str, result: str, source: str, relu: bool, flush: bool) -> None:
    """Refuse what the ISA does not define: a rounding that is missing, or one where nothing is rounded."""
    to_float, from_float = result in _FLOAT_BITS, source in _FLOAT_BITS
    if from_float and not to_float:
        right = rounding in _TO_INTEGER
    elif to_float and not from_float:
        right = rounding in ROUNDINGS
    elif to_float and from_float:
        narrowing = _FLOAT_BITS[result] < _FLOAT_BITS[source]
        if result == source:
            right = rounding in _TO_INTEGER or rounding == ""
        else:
            right = rounding in ROUNDINGS if narrowing else rounding == ""
        if "bf16" in (result, source) and "f32" not in (result, source):
            right = False
    else:
        right = rounding == ""
    if flush and "f32" not in (result, source):
        right = False
    if relu and (rounding not in ("rn", "rz") or source != "f32" or result not in ("f16", "bf16")):
        right = False
    if not right:
        modifiers.refuse()
