"""What came with sm_80 and sm_90, rarer integer forms, and operands halfway between two results."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from opcode_cases.case import Case, plain, selected

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")


def cases() -> Iterator[Case]:
    yield from _integers()
    yield from _bits()
    yield from _halves()
    yield from _comparisons()
    yield from _conversions()
    yield from _small_formats()
    yield from _ties()


def _integers() -> Iterator[Case]:
    for opcode in ("mad24.hi.s32", "mad24.hi.u32", "mad24.hi.sat.s32", "dp4a.u32.s32"):
        yield plain(opcode, *["s32"] * 4)
    for t in ("u16", "s16", "u64", "s64"):
        yield plain(f"sad.{t}", t, t, t, t)
    for root in ("add", "min", "max"):
        for t in ("u16x2", "s16x2"):
            yield plain(f"{root}.{t}", "b32", "b32", "b32")
    for opcode in ("min.relu.s32", "max.relu.s32", "min.relu.s16x2", "max.relu.s16x2"):
        yield plain(opcode, "b32", "b32", "b32")
    for t in ("s32", "s64"):
        code = f"add.cc.{t} %d, %a, %b; subc.cc.{t} %d, %d, %c; addc.{t} %d, %d, 0;"
        yield Case(f"carry and borrow {t}", code, (t, t, t, t))
        code = f"mad.hi.cc.{t} %d, %a, %b, %c; madc.lo.cc.{t} %d, %d, %b, %c; madc.hi.{t} %d, %a, %d, 0;"
        yield Case(f"madc.{t}", code, (t, t, t, t))
    for t in (*INTEGERS, "b16", "b32", "b64", "f32", "f64"):
        yield plain(f"slct.{t}.s32", t, t, t, "s32")
        yield plain(f"slct.{t}.f32", t, t, t, "f32")
    yield plain("slct.ftz.b32.f32", "b32", "b32", "b32", "f32")


def _bits() -> Iterator[Case]:
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield plain(f"prmt.b32.{mode}", *["b32"] * 4)
    for mode in ("clamp", "wrap"):
        small = "and.b32 %t0, %b, 127;"
        for t in ("u32", "s32"):
            yield Case(f"szext.{mode}.{t} small", f"{small} szext.{mode}.{t} %d, %a, %t0;", (t, t, "u32"))
            yield plain(f"szext.{mode}.{t}", t, t, "u32")
        code = f"and.b32 %t0, %a, 63; and.b32 %t1, %b, 63; bmsk.{mode}.b32 %d, %t0, %t1;"
        yield Case(f"bmsk.{mode}.b32 small", code, ("b32",) * 3)
        yield plain(f"bmsk.{mode}.b32", *["b32"] * 3)
    code = "and.b32 %t0, %b, 31; and.b32 %t1, %c, 31; sub.s32 %t1, %t1, 15; fns.b32 %d, %a, %t0, %t1;"
    yield Case("fns.b32", code, ("b32",) * 4)
    for what, negated in product(("and", "or"), ("", "!")):
        code = (
            f"setp.lt.s32 %p2, %c, 9; lop3.{what}.b32 %d|%p1, %a, %b, %c, 0x68, {negated}%p2; selp.b32 %t0, 1, 0, %p1; "
            "xor.b32 %d, %d, %t0;"
        )
        yield Case(f"lop3.{what}.b32 {negated}".strip(), code, ("b32",) * 4)
    for kind, size in product("us", (2, 4, 8)):
        yield plain(f"cvt.pack.sat.{kind}{size}.s32.b32", *["b32"] * 4)
    for kind in ("u16", "s16"):
        yield plain(f"cvt.pack.sat.{kind}.s32", *["b32"] * 3)


def _halves() -> Iterator[Case]:
    for t in ("bf16", "bf16x2"):
        for root in ("add", "sub", "mul"):
            yield plain(f"{root}.{t}", t, t, t)
            yield plain(f"{root}.rn.{t}", t, t, t, ties=True)
        yield plain(f"ex2.approx.ftz.{t}", t, t, exact=False)
        yield plain(f"tanh.approx.{t}", t, t, exact=False)
    for t in ("f32", "f16", "f16x2", "bf16", "bf16x2"):
        flushes = ("",) if t.startswith("bf16") else ("", ".ftz")
        for root, ftz, nan in product(("min", "max"), flushes, ("", ".NaN")):
            yield plain(f"{root}{ftz}{nan}.xorsign.abs.{t}", t, t, t)
    for t, root in product(("f16", "f16x2"), ("abs", "neg")):
        yield plain(f"{root}.ftz.{t}", t, t)
    for t in ("f16", "f16x2"):
        yield plain(f"fma.rn.ftz.relu.{t}", t, t, t, t)


def _comparisons() -> Iterator[Case]:
    for test in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
        yield Case(f"setp.{test}.bf16", selected(f"setp.{test}.bf16 %p1, %a, %b;"), ("pred", "bf16", "bf16"))
        yield plain(f"set.{test}.bf16x2.bf16x2", *["bf16x2"] * 3)
        for source, result in (("f64", "u32"), ("f16", "s32"), ("bf16", "bf16"), ("f32", "f16"), ("f32", "bf16")):
            yield plain(f"set.{test}.{result}.{source}", result, source, source)
    for source in INTEGERS:
        for result in ("u32", "s32", "f32", "f16", "bf16"):
            yield plain(f"set.le.{result}.{source}", result, source, source)
    for result in ("u16", "s16"):
        yield plain(f"set.gtu.{result}.f16", result, "f16", "f16")
    for t in ("f16x2", "bf16x2"):
        for result in ("u32", "s32"):
            yield plain(f"set.ltu.{result}.{t}", result, t, t)
        code = f"setp.lt.f32 %p3, %c, 0f00000000; setp.geu.xor.{t} %p1|%p2, %a, %b, !%p3; "
        code += "selp.b32 %t0, 1, 0, %p1; selp.b32 %t1, 2, 0, %p2; or.b32 %d, %t0, %t1;"
        yield Case(f"setp.geu.xor.{t}", code, ("u32", t, t, "f32"))


def _conversions() -> Iterator[Case]:
    for i in INTEGERS:
        for rounding in ("rn", "rz", "rm", "rp"):
            yield plain(f"cvt.{rounding}.bf16.{i}", "bf16", i)
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            yield plain(f"cvt.{rounding}.{i}.bf16", i, "bf16")
    for source in ("f16", "f64"):
        for rounding in ("rn", "rz", "rm", "rp"):
            yield plain(f"cvt.{rounding}.bf16.{source}", "bf16", source)
    for rounding in ("rn", "rz", "rm", "rp"):
        yield plain(f"cvt.{rounding}.f16.bf16", "f16", "bf16")
    for rounding in ("rm", "rp"):
        yield plain(f"cvt.{rounding}.bf16.f32", "bf16", "f32")
    yield plain("cvt.rn.ftz.bf16.f32", "bf16", "f32")
    for opcode in ("cvt.f32.bf16", "cvt.ftz.f32.bf16"):
        yield plain(opcode, "f32", "bf16")
    yield plain("cvt.f64.bf16", "f64", "bf16")
    yield plain("cvt.rmi.bf16.bf16", "bf16", "bf16")
    yield plain("cvt.rni.ftz.s32.f32", "s32", "f32")
    yield plain("cvt.sat.f16.f16", "f16", "f16")
    for rounding, t in product(("rn", "rz"), ("f16", "bf16")):
        yield plain(f"cvt.{rounding}.satfinite.{t}.f32", t, "f32")
        yield plain(f"cvt.{rounding}.relu.satfinite.{t}.f32", t, "f32")
        yield plain(f"cvt.{rounding}.satfinite.{t}x2.f32", f"{t}x2", "f32", "f32")


def _small_formats() -> Iterator[Case]:
    for opcode in ("rna", "rna.satfinite", "rn", "rz", "rn.relu", "rz.relu"):
        for ties in (False, True):
            name = f"cvt.{opcode}.tf32.f32"
            yield Case(name + " ties" * ties, f"{name} %d, %a;", ("b32", "f32"), ties=ties)
    for t, relu in product(("e4m3x2", "e5m2x2"), ("", ".relu")):
        for ties in (False, True):
            name = f"cvt.rn.satfinite{relu}.{t}.f32"
            yield Case(name + " ties" * ties, f"{name} %d, %a, %b;", ("b16", "f32", "f32"), ties=ties)
        yield plain(f"cvt.rn.satfinite{relu}.{t}.f16x2", "b16", "f16x2")
        yield plain(f"cvt.rn{relu}.f16x2.{t}", "b32", "b16")


def _ties() -> Iterator[Case]:
    def again(opcode: str, *types: str) -> Case:
        case = plain(opcode, *types)
        return Case(f"{opcode} ties", case.code, types, ties=True)

    for t in ("f32", "f64", "f16", "bf16"):
        for rounding in ("rn", "rz", "rm", "rp") if t[1:] in ("32", "64") else ("rn",):
            for root in ("add", "mul"):
                yield again(f"{root}.{rounding}.{t}", t, t, t)
            yield again(f"fma.{rounding}.{t}", t, t, t, t)
    for d, s in (("f16", "f32"), ("f16", "f64"), ("f32", "f64"), ("bf16", "f32"), ("bf16", "f64")):
        for rounding in ("rn", "rz", "rm", "rp"):
            yield again(f"cvt.{rounding}.{d}.{s}", d, s)
    for i, rounding in product(("s32", "u32", "s64", "u64"), ("rni", "rzi", "rmi", "rpi")):
        for f in ("f32", "f64"):
            yield again(f"cvt.{rounding}.{i}.{f}", i, f)
    for i, rounding in product(("u32", "s64", "u64"), ("rn", "rz", "rm", "rp")):
        yield again(f"cvt.{rounding}.f32.{i}", "f32", i)
