"""The video instructions, with and without selected parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from opcode_cases.case import Case

SIGNS = ("u32", "s32")
WORDS = ("b32",) * 4


def cases() -> Iterator[Case]:
    yield from _simd()
    yield from _scalar()
    yield from _multiply_add()


def _case(opcode: str, d: str = "", a: str = "", b: str = "", third: bool = True) -> Case:
    """Selectors follow the operands; %d is read by nobody before."""
    code = f"{opcode} %d{d}, %a{a}, %b{b}{', %c' if third else ''};"
    return Case(f"{opcode} {d}{a}{b}".strip(), code, WORDS)


def _simd() -> Iterator[Case]:
    for count in (2, 4):
        mask, first, second = (".h1", ".h31", ".h02") if count == 2 else (".b310", ".b7610", ".b2543")
        for root in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            for d, a, b in product(SIGNS, SIGNS, SIGNS):
                for last in ("", ".sat", ".add"):
                    yield _case(f"{root}{count}.{d}.{a}.{b}{last}")
            yield _case(f"{root}{count}.s32.u32.s32", mask, first, second)
            yield _case(f"{root}{count}.s32.s32.s32.add", mask, first, second)
        for test in ("eq", "ne", "lt", "le", "gt", "ge"):
            for a, b in product(SIGNS, SIGNS):
                yield _case(f"vset{count}.{a}.{b}.{test}")
                yield _case(f"vset{count}.{a}.{b}.{test}.add", mask, first, second)


def _scalar() -> Iterator[Case]:
    for root in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for d, a, b in product(SIGNS, SIGNS, SIGNS):
            for sat in ("", ".sat"):
                yield _case(f"{root}.{d}.{a}.{b}{sat}", third=False)
                yield _case(f"{root}.{d}.{a}.{b}{sat}", a=".b3", b=".h1", third=False)
            yield _case(f"{root}.{d}.{a}.{b}.sat", ".h1", ".h0", ".b2")
            yield _case(f"{root}.{d}.{a}.{b}.sat", ".b2", "", ".h1")
            for second in ("add", "min", "max"):
                yield _case(f"{root}.{d}.{a}.{b}.{second}", "", ".h1", ".b0")
    for test in ("eq", "ne", "lt", "le", "gt", "ge"):
        for a, b in product(SIGNS, SIGNS):
            yield _case(f"vset.{a}.{b}.{test}", third=False)
            yield _case(f"vset.{a}.{b}.{test}", ".b1", ".b0", ".h1")
    for root, d, a, mode in product(("vshl", "vshr"), SIGNS, SIGNS, ("clamp", "wrap")):
        for sat in ("", ".sat"):
            yield _case(f"{root}.{d}.{a}.u32{sat}.{mode}", b=".b0", third=False)
            yield _case(f"{root}.{d}.{a}.u32{sat}.{mode}", a=".h1", third=False)


def _multiply_add() -> Iterator[Case]:
    for a, b in product(SIGNS, SIGNS):
        d = "u32" if a == b == "u32" else "s32"
        for extra in ("", ".sat", ".shr7", ".sat.shr15", ".po", ".sat.po.shr7"):
            yield _case(f"vmad.{d}.{a}.{b}{extra}")
            yield _case(f"vmad.{d}.{a}.{b}{extra}", a=".b1", b=".h1")
    for text in ("%d, -%a, %b, %c", "%d, %a, %b, -%c", "%d, -%a.h0, -%b.b2, %c"):
        yield Case(f"vmad.s32.s32.s32 {text}", f"vmad.s32.s32.s32 {text};", WORDS)
