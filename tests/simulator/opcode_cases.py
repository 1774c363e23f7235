"""Small PTX kernels, one for each form of an instruction, and the inputs that they are run on.

Each kernel loads a, b and c by thread, runs one instruction (or a few that belong together), stores the
result. The same kernels were run on an NVIDIA H200 by ``measure_h200.py``; ``h200_opcodes.json`` keeps what
came out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

COUNT = 4096  # elements of each input
BLOCK = 256
BYTES = {
    "b8": 1,
    "u8": 1,
    "s8": 1,
    "b16": 2,
    "u16": 2,
    "s16": 2,
    "f16": 2,
    "bf16": 2,
    "b32": 4,
    "u32": 4,
    "s32": 4,
    "f32": 4,
    "f16x2": 4,
    "bf16x2": 4,
    "b64": 8,
    "u64": 8,
    "s64": 8,
    "f64": 8,
    "pred": 4,
}


@dataclass(frozen=True)
class Case:
    """``code`` uses %d, %a, %b, %c; ``types`` are those of d, a, b, c. Inexact cases may differ a little."""

    name: str
    code: str
    types: tuple[str, ...]
    exact: bool = True

    def ptx(self, entry: str = "run") -> str:
        registers = {8: "b64", 4: "b32", 2: "b16", 1: "b16"}
        sizes = [BYTES[t] for t in self.types]
        names = ["%d", "%a", "%b", "%c"][: len(sizes)]
        lines = [f".reg .{registers[size]} {name};" for name, size in zip(names, sizes, strict=True)]
        lines += [
            ".reg .pred %p<4>;",
            ".reg .b32 %i<4>;",
            ".reg .b64 %q<8>;",
            ".reg .b32 %t<8>;",
            ".reg .b16 %h<4>;",
            "mov.u32 %i0, %ctaid.x;",
            "mov.u32 %i1, %ntid.x;",
            "mov.u32 %i2, %tid.x;",
            "mad.lo.s32 %i3, %i0, %i1, %i2;",
        ]
        for k, (name, size) in enumerate(zip(names[1:], sizes[1:], strict=True), 1):
            lines += [
                f"ld.param.u64 %q{k}, [p{k}];",
                f"mul.wide.u32 %q0, %i3, {size};",
                f"add.s64 %q{k}, %q{k}, %q0;",
                f"ld.global.{'u8' if size == 1 else f'b{8 * size}'} {name}, [%q{k}];",
            ]
        lines += [
            self.code,
            "ld.param.u64 %q4, [p0];",
            f"mul.wide.u32 %q0, %i3, {sizes[0]};",
            "add.s64 %q4, %q4, %q0;",
            f"st.global.{'u8' if sizes[0] == 1 else f'b{8 * sizes[0]}'} [%q4], %d;",
            "ret;",
        ]
        parameters = ", ".join(f".param .u64 p{k}" for k in range(4))
        body = "\n\t".join(lines)
        return f".visible .entry {entry}({parameters})\n{{\n\t{body}\n}}\n"


HEADER = ".version 9.0\n.target sm_80\n.address_size 64\n\n"


def _selected(setp: str) -> str:
    return f"{setp} selp.b32 %d, 1, 0, %p1;"


def cases() -> list[Case]:
    return [*_integers(), *_bits(), *_singles(), *_doubles(), *_halves(), *_conversions(), *_approximate()]


def _integers() -> Iterator[Case]:
    def plain(opcode: str, *types: str) -> Case:
        operands = ", ".join(["%d", "%a", "%b", "%c"][: len(types)])
        return Case(opcode, f"{opcode} {operands};", types)

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
            yield Case(f"setp.{comparison}.{t}", _selected(f"setp.{comparison}.{t} %p1, %a, %b;"), ("pred", t, t))
    for comparison in ("lo", "ls", "hi", "hs"):
        yield Case(f"setp.{comparison}.u32", _selected(f"setp.{comparison}.u32 %p1, %a, %b;"), ("pred", "u32", "u32"))
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


def _bits() -> Iterator[Case]:
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


_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


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
            yield Case(name, _selected(f"{name} %p1, %a, %b;"), ("pred", t, t))
    yield Case("copysign.f32", "copysign.f32 %d, %a, %b;", (t, t, t))
    for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        yield Case(f"testp.{what}.f32", _selected(f"testp.{what}.f32 %p1, %a;"), ("pred", t))
        yield Case(f"testp.{what}.f64", _selected(f"testp.{what}.f64 %p1, %a;"), ("pred", "f64"))
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
        yield Case(f"setp.{comparison}.{t}", _selected(f"setp.{comparison}.{t} %p1, %a, %b;"), ("pred", t, t))


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
        yield Case(f"setp.{comparison}.f16", _selected(f"setp.{comparison}.f16 %p1, %a, %b;"), ("pred", "f16", "f16"))
        yield Case(f"set.{comparison}.f16.f16", f"set.{comparison}.f16.f16 %d, %a, %b;", ("f16", "f16", "f16"))
        yield Case(f"set.{comparison}.f16x2.f16x2", f"set.{comparison}.f16x2.f16x2 %d, %a, %b;", ("f16x2",) * 3)
    code = "setp.lt.f16x2 %p1|%p2, %a, %b; selp.b32 %t0, 1, 0, %p1; selp.b32 %t1, 2, 0, %p2;"
    code += " or.b32 %d, %t0, %t1;"
    yield Case("setp.lt.f16x2", code, ("u32", "f16x2", "f16x2"))
    yield Case("setp.lt.ftz.f16", _selected("setp.lt.ftz.f16 %p1, %a, %b;"), ("pred", "f16", "f16"))


def _conversions() -> Iterator[Case]:
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


def _approximate() -> Iterator[Case]:
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


# ---- inputs ----

_INTEGER_EDGES = (
    0,
    1,
    2,
    3,
    5,
    7,
    31,
    32,
    33,
    63,
    64,
    127,
    128,
    255,
    256,
    0x7FFF,
    0x8000,
    0xFFFF,
    -1,
    -2,
    -3,
)


def inputs(kind: str, position: int) -> np.ndarray:
    """``COUNT`` elements as unsigned bits, always the same: edges against edges, then random values."""
    size = BYTES[kind]
    unsigned = np.dtype(f"u{size}")
    random = np.random.default_rng([size, position, len(kind)])
    data = random.integers(0, 1 << (8 * size), COUNT, dtype=np.uint64 if size == 8 else np.int64, endpoint=False)
    data = data.astype(unsigned)
    edges = _float_edges(kind) if kind.removesuffix("x2") in ("f16", "bf16", "f32", "f64") else _integer_edges(size)
    edges = edges.astype(unsigned)
    if kind.removesuffix("x2") in ("f16", "bf16", "f32", "f64"):
        usual = _usual_floats(kind, random)
        data[1::3] = usual[1::3]  # a third ordinary numbers, a third any bits, a third near ordinary ones
        data[2::3] = usual[2::3] ^ random.integers(0, 8, COUNT).astype(unsigned)[2::3]
    else:
        small = random.integers(0, 40, COUNT).astype(unsigned)
        data[1::3] = small[1::3]
    pairs = len(edges) ** 2
    index = np.arange(min(pairs, COUNT // 2))
    data[: len(index)] = edges[
        index // len(edges) if position == 1 else (index * (1 if position == 2 else 7)) % len(edges)
    ]
    return data


def _integer_edges(size: int) -> np.ndarray:
    top = 1 << (8 * size)
    values = [*_INTEGER_EDGES, top // 2, top // 2 - 1, top // 2 + 1, top - 1]
    return np.array([v % top for v in values], dtype=np.uint64)


_FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}


def _float_edges(kind: str) -> np.ndarray:
    base = kind.removesuffix("x2")
    exponent, fraction = _FORMATS[base]
    one = ((1 << (exponent - 1)) - 1) << fraction
    infinity = ((1 << exponent) - 1) << fraction
    values = [
        0,
        1,
        2,
        (1 << fraction) - 1,
        1 << fraction,
        (1 << fraction) + 1,
        one,
        one + 1,
        one - 1,
        one + (1 << fraction),
        one - (1 << fraction),
        one + (1 << (fraction - 1)),
        infinity - 1,
        infinity,
        infinity + 1,
        infinity | 1 << (fraction - 1),
        one + (min(fraction, 30) << fraction) + 1,
        one - ((fraction + 1) << fraction),
    ]
    sign = 1 << (exponent + fraction)
    both = [v | s for v in values for s in (0, sign)]
    if kind.endswith("x2"):
        return np.array([v | w << 16 for v, w in zip(both, [*both[7:], *both[:7]], strict=True)], dtype=np.uint64)
    return np.array(both, dtype=np.uint64)


def _usual_floats(kind: str, random: np.random.Generator) -> np.ndarray:
    numbers = random.standard_normal(COUNT) * 2.0 ** random.integers(-6, 6, COUNT)
    if kind == "f64":
        return numbers.view(np.uint64)
    singles = numbers.astype(np.float32).view(np.uint32)
    if kind == "f32":
        return singles
    halves = (
        (singles >> 16) if kind.startswith("bf16") else numbers.astype(np.float16).view(np.uint16).astype(np.uint32)
    )
    return halves | np.roll(halves, 1) << 16 if kind.endswith("x2") else halves.astype(np.uint16)
