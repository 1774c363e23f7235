"""cvt between integers and the usual floating-point types."""

from __future__ import annotations

from collections.abc import Iterator

from opcode_cases.case import Case


def cases() -> Iterator[Case]:
    integers = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    floats = ("f16", "f32", "f64")
    for d in integers:
        for s in integers:
            for sat in ("", ".sat"):
                if sat and (d == s):
                    continue
                yield Case(f"cvt{sat}.{d}.{s}", f"cvt{sat}.{d}.{s} %d, %a;", (d, s))
    for f in floats:
        for i in integers:
            for rounding in ("rn", "rz", "rm", "rp"):
                yield Case(f"cvt.{rounding}.{f}.{i}", f"cvt.{rounding}.{f}.{i} %d, %a;", (f, i))
            for rounding in ("rni", "rzi", "rmi", "rpi"):
                yield Case(f"cvt.{rounding}.{i}.{f}", f"cvt.{rounding}.{i}.{f} %d, %a;", (i, f))
    for i in ("s32", "u64"):
        yield Case(f"cvt.rzi.ftz.{i}.f32", f"cvt.rzi.ftz.{i}.f32 %d, %a;", (i, "f32"))
    for d, s in (("f16", "f32"), ("f16", "f64"), ("f32", "f64")):
        for rounding in ("rn", "rz", "rm", "rp"):
            yield Case(f"cvt.{rounding}.{d}.{s}", f"cvt.{rounding}.{d}.{s} %d, %a;", (d, s))
        yield Case(f"cvt.rn.sat.{d}.{s}", f"cvt.rn.sat.{d}.{s} %d, %a;", (d, s))
    for rounding in ("rn", "rz"):
        yield Case(f"cvt.{rounding}.bf16.f32", f"cvt.{rounding}.bf16.f32 %d, %a;", ("bf16", "f32"))
        yield Case(f"cvt.{rounding}.relu.bf16.f32", f"cvt.{rounding}.relu.bf16.f32 %d, %a;", ("bf16", "f32"))
        yield Case(f"cvt.{rounding}.relu.f16.f32", f"cvt.{rounding}.relu.f16.f32 %d, %a;", ("f16", "f32"))
        for t in ("f16x2", "bf16x2"):
            yield Case(f"cvt.{rounding}.{t}.f32", f"cvt.{rounding}.{t}.f32 %d, %a, %b;", (t, "f32", "f32"))
            yield Case(f"cvt.{rounding}.relu.{t}.f32", f"cvt.{rounding}.relu.{t}.f32 %d, %a, %b;", (t, "f32", "f32"))
    for d, s in (("f32", "f16"), ("f64", "f16"), ("f64", "f32")):
        yield Case(f"cvt.{d}.{s}", f"cvt.{d}.{s} %d, %a;", (d, s))
        yield Case(f"cvt.sat.{d}.{s}", f"cvt.sat.{d}.{s} %d, %a;", (d, s))
    yield Case("cvt.ftz.f32.f16", "cvt.ftz.f32.f16 %d, %a;", ("f32", "f16"))
    yield Case("cvt.ftz.f64.f32", "cvt.ftz.f64.f32 %d, %a;", ("f64", "f32"))
    yield Case("cvt.rn.ftz.f32.f64", "cvt.rn.ftz.f32.f64 %d, %a;", ("f32", "f64"))
    yield Case("cvt.rn.ftz.f16.f32", "cvt.rn.ftz.f16.f32 %d, %a;", ("f16", "f32"))
    for f in floats:
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            yield Case(f"cvt.{rounding}.{f}.{f}", f"cvt.{rounding}.{f}.{f} %d, %a;", (f, f))
    yield Case("cvt.rmi.ftz.f32.f32", "cvt.rmi.ftz.f32.f32 %d, %a;", ("f32", "f32"))
    yield Case("cvt.ftz.sat.f32.f32", "cvt.ftz.sat.f32.f32 %d, %a;", ("f32", "f32"))
