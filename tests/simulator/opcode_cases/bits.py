"""Logic, shifts, bit fields."""

from __future__ import annotations

from collections.abc import Iterator

from opcode_cases.case import Case


def cases() -> Iterator[Case]:
    for t in ("b16", "b32", "b64"):
        for root in ("and", "or", "xor"):
            yield Case(f"{root}.{t}", f"{root}.{t} %d, %a, %b;", (t, t, t))
        for root in ("not", "cnot"):
            yield Case(f"{root}.{t}", f"{root}.{t} %d, %a;", (t, t))
    for t in ("b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64"):
        for root in ("shl", "shr"):
            if root == "shr" or t[0] == "b":
                code = f"and.b32 %t0, %b, 127; {root}.{t} %d, %a, %t0;"
                yield Case(f"{root}.{t}", code, (t, t, "u32"))
    for side in "lr":
        for mode in ("wrap", "clamp"):
            code = f"and.b32 %t0, %c, 127; shf.{side}.{mode}.b32 %d, %a, %b, %t0;"
            yield Case(f"shf.{side}.{mode}.b32", code, ("b32", "b32", "b32", "b32"))
    for t in ("b32", "b64"):
        yield Case(f"popc.{t}", f"popc.{t} %d, %a;", ("u32", t))
        yield Case(f"clz.{t}", f"clz.{t} %d, %a;", ("u32", t))
        yield Case(f"brev.{t}", f"brev.{t} %d, %a;", (t, t))
        code = f"and.b32 %t0, %c, 255; shr.u32 %t1, %c, 8; and.b32 %t1, %t1, 255; bfi.{t} %d, %a, %b, %t0, %t1;"
        yield Case(f"bfi.{t}", code, (t, t, t, "u32"))
        code = f"and.b32 %t0, %c, 63; shr.u32 %t1, %c, 8; and.b32 %t1, %t1, 31; bfi.{t} %d, %a, %b, %t0, %t1;"
        yield Case(f"bfi.{t} small", code, (t, t, t, "u32"))
    for t in ("u32", "s32", "u64", "s64"):
        yield Case(f"bfind.{t}", f"bfind.{t} %d, %a;", ("u32", t))
        yield Case(f"bfind.shiftamt.{t}", f"bfind.shiftamt.{t} %d, %a;", ("u32", t))
        code = f"and.b32 %t0, %b, 255; shr.u32 %t1, %b, 8; and.b32 %t1, %t1, 255; bfe.{t} %d, %a, %t0, %t1;"
        yield Case(f"bfe.{t}", code, (t, t, "u32"))
        code = f"and.b32 %t0, %b, 63; shr.u32 %t1, %b, 8; and.b32 %t1, %t1, 31; bfe.{t} %d, %a, %t0, %t1;"
        yield Case(f"bfe.{t} small", code, (t, t, "u32"))
    yield Case("prmt.b32", "and.b32 %t0, %c, 65535; prmt.b32 %d, %a, %b, %t0;", ("b32", "b32", "b32", "b32"))
    for table in (0x80, 0xFE, 0x96, 0xCA, 0xE8, 0x1B):
        yield Case(f"lop3.b32 {table:#x}", f"lop3.b32 %d, %a, %b, %c, {table};", ("b32", "b32", "b32", "b32"))
