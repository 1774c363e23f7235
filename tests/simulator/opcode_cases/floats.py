"""Floating-point arithmetic and comparisons with results that are exact by definition."""

from __future__ import annotations

from collections.abc import Iterator

from opcode_cases.case import Case, selected

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


def cases() -> Iterator[Case]:
    yield from _singles()
    yield from _doubles()
    yield from _halves()


def _singles() -> Iterator[Case]:
    t = "f32"
    for ftz in ("", ".ftz"):
        for rounding in ("rn", "rz", "rm", "rp"):
            for sat in ("", ".sat"):
                for root in ("add", "sub", "mul"):
                    name = f"{root}.{rounding}{ftz}{sat}.{t}"
                    yield Case(name, f"{name} %d, %a, %b;", (t, t, t))
                name = f"fma.{rounding}{ftz}{sat}.{t}"
                yield Case(name, f"{name} %d, %a, %b, %c;", (t, t, t, t))
            yield Case(f"div.{rounding}{ftz}.{t}", f"div.{rounding}{ftz}.{t} %d, %a, %b;", (t, t, t))
            for root in ("rcp", "sqrt"):
                yield Case(f"{root}.{rounding}{ftz}.{t}", f"{root}.{rounding}{ftz}.{t} %d, %a;", (t, t))
        for root in ("min", "max"):
            for nan in ("", ".NaN"):
                yield Case(f"{root}{ftz}{nan}.{t}", f"{root}{ftz}{nan}.{t} %d, %a, %b;", (t, t, t))
        for root in ("abs", "neg"):
            yield Case(f"{root}{ftz}.{t}", f"{root}{ftz}.{t} %d, %a;", (t, t))
        for comparison in _COMPARISONS:
            name = f"setp.{comparison}{ftz}.{t}"
            yield Case(name, selected(f"{name} %p1, %a, %b;"), ("pred", t, t))
    yield Case("copysign.f32", "copysign.f32 %d, %a, %b;", (t, t, t))
    for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        yield Case(f"testp.{what}.f32", selected(f"testp.{what}.f32 %p1, %a;"), ("pred", t))
        yield Case(f"testp.{what}.f64", selected(f"testp.{what}.f64 %p1, %a;"), ("pred", "f64"))
    for result in ("u32", "s32", "f32"):
        yield Case(f"set.gtu.{result}.f32", f"set.gtu.{result}.f32 %d, %a, %b;", (result, t, t))


def _doubles() -> Iterator[Case]:
    t = "f64"
    for rounding in ("rn", "rz", "rm", "rp"):
        for root in ("add", "sub", "mul", "div"):
            yield Case(f"{root}.{rounding}.{t}", f"{root}.{rounding}.{t} %d, %a, %b;", (t, t, t))
        yield Case(f"fma.{rounding}.{t}", f"fma.{rounding}.{t} %d, %a, %b, %c;", (t, t, t, t))
        for root in ("rcp", "sqrt"):
            yield Case(f"{root}.{rounding}.{t}", f"{root}.{rounding}.{t} %d, %a;", (t, t))
    for root in ("min", "max", "copysign"):
        yield Case(f"{root}.{t}", f"{root}.{t} %d, %a, %b;", (t, t, t))
    for root in ("abs", "neg"):
        yield Case(f"{root}.{t}", f"{root}.{t} %d, %a;", (t, t))
    for comparison in _COMPARISONS:
        yield Case(f"setp.{comparison}.{t}", selected(f"setp.{comparison}.{t} %p1, %a, %b;"), ("pred", t, t))


def _halves() -> Iterator[Case]:
    for t in ("f16", "f16x2"):
        for flags in ("", ".ftz", ".sat", ".ftz.sat"):
            for root in ("add", "sub", "mul"):
                yield Case(f"{root}{flags}.{t}", f"{root}{flags}.{t} %d, %a, %b;", (t, t, t))
            yield Case(f"fma.rn{flags}.{t}", f"fma.rn{flags}.{t} %d, %a, %b, %c;", (t, t, t, t))
        yield Case(f"fma.rn.relu.{t}", f"fma.rn.relu.{t} %d, %a, %b, %c;", (t, t, t, t))
        for root in ("min", "max"):
            for flags in ("", ".ftz", ".NaN", ".ftz.NaN"):
                yield Case(f"{root}{flags}.{t}", f"{root}{flags}.{t} %d, %a, %b;", (t, t, t))
        for root in ("abs", "neg"):
            yield Case(f"{root}.{t}", f"{root}.{t} %d, %a;", (t, t))
    for t in ("bf16", "bf16x2"):
        for relu in ("", ".relu"):
            yield Case(f"fma.rn{relu}.{t}", f"fma.rn{relu}.{t} %d, %a, %b, %c;", (t, t, t, t))
        for root in ("min", "max"):
            for flags in ("", ".NaN"):
                yield Case(f"{root}{flags}.{t}", f"{root}{flags}.{t} %d, %a, %b;", (t, t, t))
        for root in ("abs", "neg"):
            yield Case(f"{root}.{t}", f"{root}.{t} %d, %a;", (t, t))
    for comparison in _COMPARISONS:
        yield Case(f"setp.{comparison}.f16", selected(f"setp.{comparison}.f16 %p1, %a, %b;"), ("pred", "f16", "f16"))
        yield Case(f"set.{comparison}.f16.f16", f"set.{comparison}.f16.f16 %d, %a, %b;", ("f16", "f16", "f16"))
        yield Case(f"set.{comparison}.f16x2.f16x2", f"set.{comparison}.f16x2.f16x2 %d, %a, %b;", ("f16x2",) * 3)
    code = "setp.lt.f16x2 %p1|%p2, %a, %b; selp.b32 %t0, 1, 0, %p1; selp.b32 %t1, 2, 0, %p2;"
    code += " or.b32 %d, %t0, %t1;"
    yield Case("setp.lt.f16x2", code, ("u32", "f16x2", "f16x2"))
    yield Case("setp.lt.ftz.f16", selected("setp.lt.ftz.f16 %p1, %a, %b;"), ("pred", "f16", "f16"))
