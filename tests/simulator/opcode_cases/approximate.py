"""Functions that the PTX ISA gives a largest error."""

from __future__ import annotations

from collections.abc import Iterator

from opcode_cases.case import Case


def cases() -> Iterator[Case]:
    for root in ("ex2", "lg2", "sin", "cos", "rsqrt", "rcp", "sqrt"):
        for ftz in ("", ".ftz"):
            yield Case(f"{root}.approx{ftz}.f32", f"{root}.approx{ftz}.f32 %d, %a;", ("f32", "f32"), exact=False)
    yield Case("tanh.approx.f32", "tanh.approx.f32 %d, %a;", ("f32", "f32"), exact=False)
    for ftz in ("", ".ftz"):
        for how in ("approx", "full"):
            name = f"div.{how}{ftz}.f32"
            yield Case(name, f"{name} %d, %a, %b;", ("f32", "f32", "f32"), exact=False)
    for t in ("f16", "f16x2"):
        yield Case(f"ex2.approx.{t}", f"ex2.approx.{t} %d, %a;", (t, t), exact=False)
        yield Case(f"tanh.approx.{t}", f"tanh.approx.{t} %d, %a;", (t, t), exact=False)
    for name in ("rcp.approx.ftz.f64", "rsqrt.approx.f64", "rsqrt.approx.ftz.f64"):
        yield Case(name, f"{name} %d, %a;", ("f64", "f64"), exact=False)
