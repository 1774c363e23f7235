"""Integer arithmetic and comparisons."""

from __future__ import annotations

from collections.abc import Iterator

from opcode_cases.case import Case, plain, selected


def cases() -> Iterator[Case]:
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        for root in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield plain(f"{root}.{t}", t, t, t)
        for part in ("lo", "hi"):
            yield plain(f"mad.{part}.{t}", t, t, t, t)
        if t[1:] != "64":
            wide = f"{t[0]}{2 * int(t[1:])}"
            yield plain(f"mul.wide.{t}", wide, t, t)
            yield plain(f"mad.wide.{t}", wide, t, t, wide)
        if t[0] == "s":
            yield plain(f"abs.{t}", t, t)
            yield plain(f"neg.{t}", t, t)
        for comparison in ("eq", "ne", "lt", "le", "gt", "ge"):
            yield Case(f"setp.{comparison}.{t}", selected(f"setp.{comparison}.{t} %p1, %a, %b;"), ("pred", t, t))
    for comparison in ("lo", "ls", "hi", "hs"):
        yield Case(f"setp.{comparison}.u32", selected(f"setp.{comparison}.u32 %p1, %a, %b;"), ("pred", "u32", "u32"))
    for boolean in ("and", "or", "xor"):
        code = (
            f"setp.lt.s32 %p2, %a, 0; setp.gt.{boolean}.s32 %p1|%p3, %a, %b, !%p2; "
            "selp.b32 %t0, 1, 0, %p1; selp.b32 %t1, 2, 0, %p3; or.b32 %d, %t0, %t1;"
        )
        yield Case(f"setp.gt.{boolean}.s32", code, ("u32", "s32", "s32"))
    for opcode in (
        "add.sat.s32",
        "sub.sat.s32",
        "mul24.lo.s32",
        "mul24.lo.u32",
        "mul24.hi.s32",
        "mul24.hi.u32",
    ):
        yield plain(opcode, "s32", "s32", "s32")
    for opcode in (
        "mad24.lo.s32",
        "mad24.lo.u32",
        "mad.hi.sat.s32",
        "sad.s32",
        "sad.u32",
        "dp4a.u32.u32",
        "dp4a.s32.u32",
        "dp4a.s32.s32",
    ):
        yield plain(opcode, "s32", "s32", "s32", "s32")
    for half in ("lo", "hi"):
        for signs in ("u32.u32", "u32.s32", "s32.u32", "s32.s32"):
            yield plain(f"dp2a.{half}.{signs}", "s32", "s32", "s32", "s32")
    for t in ("u32", "u64"):
        code = f"add.cc.{t} %d, %a, %b; addc.cc.{t} %d, %d, %c; addc.{t} %d, %d, %a;"
        yield Case(f"addc.{t}", code, (t, t, t, t))
        code = f"sub.cc.{t} %d, %a, %b; subc.cc.{t} %d, %d, %c; subc.{t} %d, %d, %a;"
        yield Case(f"subc.{t}", code, (t, t, t, t))
        code = f"mad.lo.cc.{t} %d, %a, %b, %c; madc.hi.cc.{t} %d, %a, %b, %d; madc.lo.{t} %d, %d, %b, %c;"
        yield Case(f"madc.{t}", code, (t, t, t, t))
