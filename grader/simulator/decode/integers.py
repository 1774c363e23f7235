"""Integer arithmetic and bit operations."""

from __future__ import annotations

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.floating import (
    add_sub_mul_float,
    divide_float,
    fma,
    min_max_float,
    sign_float,
)
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.ptx.errors import PtxError
from grader.simulator.ptx.model import SIZES, Immediate, Name, Pair

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
FLOATS = ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2")


def bits_of(kind: str) -> str:
    return f"b{8 * SIZES[kind]}"


def simple(context: Context, operation: str, result: str, *kinds: str) -> None:
    """An operation with one result and operands of the given types."""
    context.count(1 + len(kinds))
    context.operation(operation)
    record = context.record
    record.d = context.written(result)
    for position, (name, kind) in enumerate(zip("abce", kinds, strict=False), 1):
        setattr(record, name, context.source(kind, position))


@handles("add", "sub")
def add_sub(context: Context, modifiers: Modifiers) -> None:
    if modifiers.take("cc"):
        return _carry(context, modifiers, modifiers.root, carry_in=False, carry_out=True)
    if kind := modifiers.take(*INTEGERS):
        return simple(context, f"{modifiers.root}_{bits_of(kind)}", kind, kind, kind)
    if modifiers.root == "add" and modifiers.take("u16x2", "s16x2"):
        return simple(context, "add_b16x2", "b32", "b32", "b32")
    saturate = bool(modifiers.take("sat"))
    if saturate and (kind := modifiers.take("s32")):
        return simple(context, f"{modifiers.root}_sat_s32", kind, kind, kind)
    add_sub_mul_float(context, modifiers, saturate)


@handles("addc", "subc")
def add_with_carry(context: Context, modifiers: Modifiers) -> None:
    carry_out = bool(modifiers.take("cc"))
    _carry(context, modifiers, modifiers.root[:3], carry_in=True, carry_out=carry_out)


def _carry(context: Context, modifiers: Modifiers, what: str, *, carry_in: bool, carry_out: bool) -> None:
    kind = modifiers.need("u32", "s32", "u64", "s64")
    operands = 3 if what.startswith("mad") else 2
    simple(context, f"carry_{bits_of(kind)}", kind, *[kind] * operands)
    context.record.e = context.frame.carry
    context.record.mode = {"add": 0, "sub": 1, "mad.lo": 2, "mad.hi": 3}[what]
    context.record.flags = carry_in + 2 * carry_out + 4 * (kind[0] == "s")


@handles("mul")
def multiply(context: Context, modifiers: Modifiers) -> None:
    part = modifiers.take("lo", "hi", "wide")
    if not part:
        return add_sub_mul_float(context, modifiers)
    kind = modifiers.need(*INTEGERS)
    if part == "lo":
        return simple(context, f"mul_lo_{bits_of(kind)}", kind, kind, kind)
    if part == "hi":
        return simple(context, f"mul_hi_{kind}", kind, kind, kind)
    simple(context, f"mul_wide_{kind}", _twice(kind, modifiers), kind, kind)


def _twice(kind: str, modifiers: Modifiers) -> str:
    if SIZES[kind] == 8:
        modifiers.refuse()
    return f"{kind[0]}{16 * SIZES[kind]}"


@handles("mad")
def multiply_add(context: Context, modifiers: Modifiers) -> None:
    part = modifiers.take("lo", "hi", "wide")
    if not part:
        return fma(context, modifiers)
    if part != "wide" and modifiers.take("cc"):
        return _carry(context, modifiers, f"mad.{part}", carry_in=False, carry_out=True)
    if part == "hi" and modifiers.take("sat"):
        kind = modifiers.need("s32")
        return simple(context, "mad_hi_sat_s32", kind, kind, kind, kind)
    kind = modifiers.need(*INTEGERS)
    if part == "lo":
        return simple(context, f"mad_lo_{bits_of(kind)}", kind, kind, kind, kind)
    if part == "hi":
        return simple(context, f"mad_hi_{kind}", kind, kind, kind, kind)
    wide = _twice(kind, modifiers)
    simple(context, f"mad_wide_{kind}", wide, kind, kind, wide)


@handles("madc")
def multiply_add_with_carry(context: Context, modifiers: Modifiers) -> None:
    part = modifiers.need("lo", "hi")
    carry_out = bool(modifiers.take("cc"))
    _carry(context, modifiers, f"mad.{part}", carry_in=True, carry_out=carry_out)


@handles("mul24", "mad24")
def multiply24(context: Context, modifiers: Modifiers) -> None:
    part = modifiers.need("lo", "hi")
    operands = 2 if modifiers.root == "mul24" else 3
    if operands == 3 and part == "hi" and modifiers.take("sat"):
        kind = modifiers.need("s32")
        return simple(context, "mad24_hi_sat_s32", kind, kind, kind, kind)
    kind = modifiers.need("s32", "u32")
    simple(context, f"{modifiers.root}_{part}_{kind}", kind, *[kind] * operands)


@handles("div", "rem")
def divide(context: Context, modifiers: Modifiers) -> None:
    if kind := modifiers.take(*INTEGERS):
        return simple(context, f"{modifiers.root}_{kind}", kind, kind, kind)
    if modifiers.root == "rem":
        modifiers.refuse()
    divide_float(context, modifiers)


@handles("min", "max")
def minimum(context: Context, modifiers: Modifiers) -> None:
    if modifiers.take("relu"):
        kind = modifiers.need("s32", "s16x2")
        return simple(context, f"{modifiers.root}_relu_{kind}", *["b32"] * 3)
    if kind := modifiers.take("u16x2", "s16x2", *INTEGERS):
        relu = "relu_" if kind in ("s32", "s16x2") and modifiers.take("relu") else ""  # the compiler's place for it
        return simple(context, f"{modifiers.root}_{relu}{kind}", *["b32" if kind.endswith("x2") else kind] * 3)
    min_max_float(context, modifiers)


@handles("abs", "neg")
def sign(context: Context, modifiers: Modifiers) -> None:
    if kind := modifiers.take("s16", "s32", "s64"):
        return simple(context, f"{modifiers.root}_{kind}", kind, kind)
    sign_float(context, modifiers)


@handles("sad")
def sum_of_differences(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need(*INTEGERS)
    simple(context, f"sad_{kind}", kind, kind, kind, kind)


@handles("and", "or", "xor")
def logic(context: Context, modifiers: Modifiers) -> None:
    if modifiers.take("pred"):
        context.count(3)
        return _predicate_logic(context, modifiers)
    kind = modifiers.need("b16", "b32", "b64")
    simple(context, f"{modifiers.root}_{kind}", kind, kind, kind)


def _predicate_logic(context: Context, modifiers: Modifiers) -> None:
    context.operation(f"{modifiers.root}_pred")
    context.record.d = context.written("pred")
    for name, position in zip("ab", range(1, len(context.operands)), strict=False):
        slot, negated = context.predicate(position)
        setattr(context.record, name, slot)
        context.record.flags |= (1 if name == "a" else 2) if negated else 0


@handles("not")
def complement(context: Context, modifiers: Modifiers) -> None:
    if modifiers.take("pred"):
        context.count(2)
        return _predicate_logic(context, modifiers)
    kind = modifiers.need("b16", "b32", "b64")
    simple(context, f"not_{kind}", kind, kind)


@handles("cnot")
def logical_not(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need("b16", "b32", "b64")
    simple(context, f"cnot_{kind}", kind, kind)


@handles("shl", "shr")
def shift(context: Context, modifiers: Modifiers) -> None:
    if modifiers.root == "shl":
        kind = modifiers.need("b16", "b32", "b64")
        name = f"shl_{kind}"
    else:
        kind = modifiers.need("b16", "b32", "b64", *INTEGERS)
        name = f"shr_{kind.replace('b', 'u')}"
    simple(context, name, kind, kind, "u32")


@handles("shf")
def funnel_shift(context: Context, modifiers: Modifiers) -> None:
    side, mode = modifiers.need("l", "r"), modifiers.need("wrap", "clamp")
    kind = modifiers.need("b32")
    simple(context, f"shf_{side}_{mode}_b32", kind, kind, kind, "u32")


@handles("popc", "clz", "brev")
def count_bits(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need("b32", "b64")
    simple(context, f"{modifiers.root}_{kind}", kind if modifiers.root == "brev" else "u32", kind)


@handles("bfind")
def find_bit(context: Context, modifiers: Modifiers) -> None:
    shift_amount = bool(modifiers.take("shiftamt"))
    kind = modifiers.need("u32", "s32", "u64", "s64")
    simple(context, f"bfind_{kind}", "u32", kind)
    context.record.flags = int(shift_amount)


@handles("bfe")
def extract_field(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need("u32", "s32", "u64", "s64")
    simple(context, f"bfe_{kind}", kind, kind, "u32", "u32")


@handles("bfi")
def insert_field(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need("b32", "b64")
    simple(context, f"bfi_{kind}", kind, kind, kind, "u32", "u32")


_PERMUTATIONS = ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")  # integers.h, permute_mode


@handles("prmt")
def permute(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need("b32")
    mode = modifiers.take(*_PERMUTATIONS)
    simple(context, "prmt_mode_b32" if mode else "prmt_b32", kind, kind, kind, "u32")
    context.record.mode = _PERMUTATIONS.index(mode) + 1 if mode else 0


@handles("lop3")
def lookup3(context: Context, modifiers: Modifiers) -> None:
    combine = modifiers.take("and", "or")
    kind = modifiers.need("b32")
    context.count(6 if combine else 5)
    record = context.record
    if combine:
        record.mode = int(combine == "or")
        record.values[0], negated = context.predicate(5)
        record.flags = int(negated)
        context.operands.pop()
        target = context.operands[0]
        if not isinstance(target, Pair):
            raise PtxError(f"{context.instruction.opcode} needs a register and a predicate")
        record.e = context.frame.register(target.second, 0)
        context.operands[0] = Name(target.first)
    table = context.operands.pop()
    if not isinstance(table, Immediate) or not 0 <= table.value <= 255:
        raise PtxError(f"{context.instruction.opcode} needs a table of 8 bits")
    simple(context, "lop3_test_b32" if combine else "lop3_b32", kind, kind, kind, kind)
    record.immediate = table.value


@handles("szext")
def extend(context: Context, modifiers: Modifiers) -> None:
    mode = modifiers.need("clamp", "wrap")
    kind = modifiers.need("u32", "s32")
    simple(context, "szext_b32", kind, kind, "u32")
    context.record.flags = (mode == "clamp") + 2 * (kind == "s32")


@handles("bmsk")
def bit_mask(context: Context, modifiers: Modifiers) -> None:
    mode = modifiers.need("clamp", "wrap")
    kind = modifiers.need("b32")
    simple(context, "bmsk_b32", kind, "u32", "u32")
    context.record.flags = int(mode == "clamp")


@handles("fns")
def find_nth_set(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need("b32")
    simple(context, "fns_b32", kind, kind, kind, "s32")


@handles("dp2a")
def dot_product_of_two(context: Context, modifiers: Modifiers) -> None:
    half = modifiers.need("lo", "hi")
    first, second = modifiers.need("u32", "s32"), modifiers.need("u32", "s32")
    simple(context, "dp2a", "b32", "b32", "b32", "b32")
    context.record.flags = (first == "s32") + 2 * (second == "s32") + 4 * (half == "hi")


@handles("dp4a")
def dot_product(context: Context, modifiers: Modifiers) -> None:
    first, second = modifiers.need("u32", "s32"), modifiers.need("u32", "s32")
    simple(context, "dp4a", "b32", "b32", "b32", "b32")
    context.record.flags = (first == "s32") + 2 * (second == "s32")
