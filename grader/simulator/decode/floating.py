"""Floating-point arithmetic of all widths."""

from __future__ import annotations

from grader.simulator.decode.context import Context, handles
from grader.simulator.decode.modifiers import Modifiers
from grader.simulator.decode.types import (
    ADD,
    BF16,
    DIV,
    FMA,
    FTZ,
    MUL,
    NAN_WINS,
    RECIPROCAL,
    RELU,
    ROUNDINGS,
    SAT,
    SQRT,
    SUB,
    TYPES,
    XOR_SIGN,
)

_ARITHMETIC = {"add": ADD, "sub": SUB, "mul": MUL, "fma": FMA, "mad": FMA}


def operands(context: Context, operation: str, kind: str, count: int) -> None:
    """``count`` operands and a result of one type."""
    context.count(count + 1)
    context.operation(operation)
    context.record.d = context.written(kind)
    for position, name in enumerate("abc"[:count], 1):
        setattr(context.record, name, context.source(kind, position))


def _general(context: Context, kind: str, count: int, mode: int, rounding: str, flags: int) -> None:
    """Any rounding, flushing and saturation, one lane after the other."""
    operands(context, f"round_{kind}", kind, count)
    record = context.record
    record.b = record.a if record.b < 0 else record.b  # operands that the operation ignores
    record.c = record.a if record.c < 0 else record.c
    record.mode, record.flags = mode, ROUNDINGS[rounding or "rn"] | flags


def add_sub_mul_float(context: Context, modifiers: Modifiers, saturate: bool = False) -> None:
    """``saturate``: a .sat that was taken already."""
    _arithmetic(context, modifiers, modifiers.root, 2, saturate)


@handles("fma")
def fma(context: Context, modifiers: Modifiers) -> None:
    _arithmetic(context, modifiers, "fma", 3)


def _arithmetic(
    context: Context, modifiers: Modifiers, what: str, count: int, saturate: bool = False
) -> None:
    rounding = "" if saturate else modifiers.take(*ROUNDINGS)
    if what == "fma" and not rounding:
        modifiers.refuse()
    flush = "" if saturate else modifiers.take("ftz")
    saturate = saturate or bool(modifiers.take("sat"))
    relu = what == "fma" and modifiers.take("relu")
    singles = ("f32", "f64")
    kind = modifiers.need(*singles, *(() if modifiers.root == "mad" else ("f16", "f16x2", "bf16", "bf16x2")))
    flags = (FTZ if flush else 0) | (SAT if saturate else 0) | (RELU if relu else 0)
    if kind in ("f32", "f64"):
        if relu or (kind == "f64" and flags):
            modifiers.refuse()
        if rounding in ("", "rn") and not saturate:
            return operands(context, f"{what}{'_ftz' if flush else ''}_{kind}", kind, count)
        return _general(context, kind, count, _ARITHMETIC[what], rounding, flags)
    if rounding not in ("", "rn"):
        modifiers.refuse()
    if relu and saturate:
        modifiers.refuse()
    if kind.startswith("bf16"):
        if flags & ~RELU:
            modifiers.refuse()
        return operands(context, f"{what}_{'relu_' if relu else ''}{kind}", kind, count)
    if not flags:
        return operands(context, f"{what}_{kind}", kind, count)
    operands(context, f"half_{kind}", kind, count)
    context.record.c = context.record.b if count == 2 else context.record.c
    context.record.mode, context.record.flags = _ARITHMETIC[what], flags


def divide_float(context: Context, modifiers: Modifiers) -> None:
    how = modifiers.need("approx", "full", *ROUNDINGS)
    flush = modifiers.take("ftz")
    kind = modifiers.need("f32", "f64")
    if kind == "f64" and (how not in ROUNDINGS or flush):
        modifiers.refuse()
    if how == "approx":
        return operands(context, "div_approx_ftz_f32" if flush else "div_approx_f32", kind, 2)
    if how == "full":
        return operands(context, "div_full_ftz_f32" if flush else "div_f32", kind, 2)
    if how == "rn" and not flush:
        return operands(context, f"div_{kind}", kind, 2)
    _general(context, kind, 2, DIV, how, FTZ if flush else 0)


@handles("rcp", "sqrt")
def reciprocal(context: Context, modifiers: Modifiers) -> None:
    how = modifiers.need("approx", *ROUNDINGS)
    flush = modifiers.take("ftz")
    kind = modifiers.need("f32", "f64")
    if kind == "f64" and how == "approx" and flush and modifiers.root == "rcp":
        return operands(context, "rcp_approx_ftz_f64", kind, 1)
    if kind == "f64" and (how == "approx" or flush):
        modifiers.refuse()
    if how in ("approx", "rn"):
        return operands(context, f"{modifiers.root}{'_ftz' if flush else ''}_{kind}", kind, 1)
    mode = RECIPROCAL if modifiers.root == "rcp" else SQRT
    _general(context, kind, 1, mode, how, FTZ if flush else 0)


@handles("rsqrt", "sin", "cos", "lg2", "ex2", "tanh")
def function(context: Context, modifiers: Modifiers) -> None:
    root = modifiers.root
    modifiers.need("approx")
    flush = bool(modifiers.take("ftz"))
    halves = {"ex2": ("f16", "f16x2", "bf16", "bf16x2"), "tanh": ("f16", "f16x2", "bf16", "bf16x2")}
    kind = modifiers.need("f32", *(("f64",) if root == "rsqrt" else ()), *halves.get(root, ()))
    if kind == "f32":
        if root == "tanh" and flush:
            modifiers.refuse()
        return operands(context, f"{root}{'_ftz' if flush else ''}_f32", kind, 1)
    if kind == "f64":
        return operands(context, "rsqrt_approx_ftz_f64" if flush else "rsqrt_approx_f64", kind, 1)
    if flush != (root == "ex2" and kind.startswith("bf16")):  # there .ftz is a must, elsewhere there is none
        modifiers.refuse()
    operands(context, "function_half2" if kind.endswith("x2") else "function_half", kind, 1)
    context.record.mode = int(root == "tanh")
    context.record.flags = (BF16 if kind.startswith("bf16") else 0) | (FTZ if flush else 0)


def min_max_float(context: Context, modifiers: Modifiers) -> None:
    flush, nan = modifiers.take("ftz"), modifiers.take("NaN")
    magnitudes = modifiers.take("xorsign")
    if magnitudes:
        modifiers.need("abs")
    kind = modifiers.need("f32", "f64", "f16", "f16x2", "bf16", "bf16x2")
    if (kind == "f64" and (flush or nan or magnitudes)) or (kind.startswith("bf16") and flush):
        modifiers.refuse()
    if kind == "f32" and magnitudes:
        operands(context, "minmax_xorsign_f32", kind, 2)
    elif kind in ("f32", "f64"):
        name = f"{modifiers.root}{'_nan' if nan else ''}{'_ftz' if flush else ''}_{kind}"
        return operands(context, name, kind, 2)
    else:
        operands(context, "minmax_half2" if kind.endswith("x2") else "minmax_half", kind, 2)
    context.record.mode = int(modifiers.root == "max")
    context.record.flags = (
        (FTZ if flush else 0)
        | (NAN_WINS if nan else 0)
        | (BF16 if kind.startswith("bf16") else 0)
        | (XOR_SIGN if magnitudes else 0)
    )


def sign_float(context: Context, modifiers: Modifiers) -> None:
    flush = modifiers.take("ftz")
    kind = modifiers.need("f32", "f64", "f16", "f16x2", "bf16", "bf16x2")
    if flush and kind in ("f16", "f16x2"):
        operands(context, "sign_ftz_half2" if kind.endswith("x2") else "sign_ftz_half", kind, 1)
        context.record.mode = int(modifiers.root == "neg")
        return
    if flush and kind != "f32":
        modifiers.refuse()
    operands(context, f"{modifiers.root}{'_ftz' if flush else ''}_{kind}", kind, 1)


@handles("copysign")
def copy_sign(context: Context, modifiers: Modifiers) -> None:
    kind = modifiers.need("f32", "f64")
    operands(context, f"copysign_{kind}", kind, 2)


@handles("testp")
def test_property(context: Context, modifiers: Modifiers) -> None:
    names = ("finite", "infinite", "number", "notanumber", "normal", "subnormal")
    what = modifiers.need(*names)
    kind = modifiers.need("f32", "f64")
    context.count(2)
    context.operation("testp")
    record = context.record
    record.d, record.a = context.written("pred"), context.source(kind, 1)
    record.mode, record.source_type = names.index(what), TYPES[kind]
