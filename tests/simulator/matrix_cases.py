"""Every matrix instruction that the simulated GPU knows: its PTX, its inputs, and the exact result where there is one.

A case multiplies one pair of matrices in each warp. `mma` loads and stores its fragments itself, by the layouts that
the PTX ISA documents; `wmma` by its own instructions.
"""

from __future__ import annotations

import itertools
import zlib
from dataclasses import dataclass

import numpy as np

WARPS = 16  # two of each kind of input
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "s8": 8, "u8": 8, "f64": 64}


@dataclass(frozen=True)
class Case:
    family: str  # "mma" or "wmma"
    shape: tuple[int, int, int]
    d: str
    a: str
    b: str
    c: str
    layouts: tuple[str, str, str] = ("row", "col", "row")  # of A, of B, of C and D in memory
    saturate: bool = False
    target: str = "sm_80"
    what: str = ""  # the one kind of input of all warps; otherwise two have each of KINDS

    @property
    def name(self) -> str:
        m, n, k = self.shape
        kinds = f"{self.d}.{self.a}.{self.b}.{self.c}"
        layouts = "" if self.family == "mma" else "." + ".".join(self.layouts)
        ends = (".satfinite" if self.saturate else "") + (f".{self.what}" if self.what else "")
        return f"{self.family}.m{m}n{n}k{k}{layouts}.{kinds}{ends}"

    def kind_of(self, warp: int) -> str:
        return self.what or KINDS[warp % len(KINDS)]

    def ptx(self) -> str:
        body = _mma_text(self) if self.family == "mma" else _wmma_text(self)
        registers = "".join(
            f".reg .{kind} %{name}<8>;\n" for name, kind in zip("dabc", map(_register, self._kinds()), strict=True)
        )
        return f""".version 8.0
.target {self.target}
.address_size 64
.visible .entry run(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u64 pc)
{{
{registers}.reg .b64 %p<4>; .reg .b64 %q<4>; .reg .b32 %r<8>;
ld.param.u64 %p0, [pd]; ld.param.u64 %p1, [pa]; ld.param.u64 %p2, [pb]; ld.param.u64 %p3, [pc];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 2; and.b32 %r3, %r1, 3;
{self._move_bases()}{body}ret;
}}
"""

    def _kinds(self) -> tuple[str, str, str, str]:
        return self.d, self.a, self.b, self.c

    def counts(self) -> tuple[int, int, int, int]:
        """Elements of D, A, B, C."""
        m, n, k = self.shape
        return m * n, m * k, n * k, m * n

    def _move_bases(self) -> str:
        lines = []
        for x, (count, kind) in enumerate(zip(self.counts(), self._kinds(), strict=True)):
            lines.append(f"mul.wide.u32 %q{x}, %r0, {count * BITS[kind] // 8}; add.s64 %p{x}, %p{x}, %q{x};\n")
        return "".join(lines)


def _register(kind: str) -> str:
    return kind if kind in ("f32", "f64") else "b32"


def _names(name: str, count: int) -> str:
    return "{" + ", ".join(f"%{name}{k}" for k in range(count)) + "}"


def _shape(case: Case) -> str:
    return "m{}n{}k{}".format(*case.shape)


def _mma_text(case: Case) -> str:
    m, n, k = case.shape
    per = max(1, 32 // BITS[case.a])  # elements in a register
    size, rows = BITS[case.a] // 8, m // 8
    move = {64: "f64", 32: "b32"}
    text, offsets = "", {}
    # A: row g + 8 (r mod rows), columns per t + 4 per (r div rows) + ...; B the same without the rows.
    offsets["a"] = [(r % rows * 8 * k + r // rows * 4 * per) * size for r in range(rows * k // (4 * per))]
    offsets["b"] = [r * 4 * per * size for r in range(k // (4 * per))]
    for x, name in ((1, "a"), (2, "b")):
        text += f"mad.lo.u32 %r4, %r2, {k * size}, 0; mad.lo.u32 %r4, %r3, {per * size}, %r4;\n"
        text += f"cvt.u64.u32 %q{x}, %r4; add.s64 %q{x}, %p{x}, %q{x};\n"
        for r, offset in enumerate(offsets[name]):
            text += f"ld.global.{move[max(32, BITS[case.a])]} %{name}{r}, [%q{x}+{offset}];\n"
    for x, name, kind in ((0, "d", case.d), (3, "c", case.c)):
        size = BITS[kind] // 8
        text += f"mad.lo.u32 %r4, %r2, {n * size}, 0; mad.lo.u32 %r4, %r3, {2 * size}, %r4;\n"
        text += f"cvt.u64.u32 %q{x}, %r4; add.s64 %q{x}, %p{x}, %q{x};\n"
        if kind == "f16":
            offsets[name] = [8 * n * size * r for r in range(rows)]
        else:
            offsets[name] = [8 * n * size * (r // 2) + r % 2 * size for r in range(2 * rows)]
    for r, offset in enumerate(offsets["c"]):
        text += f"ld.global.{move[max(32, BITS[case.c])]} %c{r}, [%q3+{offset}];\n"
    saturate = ".satfinite" if case.saturate else ""
    opcode = f"mma.sync.aligned.{_shape(case)}.row.col{saturate}.{case.d}.{case.a}.{case.b}.{case.c}"
    fragments = ", ".join(_names(name, len(offsets[name])) for name in "dabc")
    text += f"{opcode} {fragments};\n"
    for r, offset in enumerate(offsets["d"]):
        text += f"st.global.{move[max(32, BITS[case.d])]} [%q0+{offset}], %d{r};\n"
    return text


def _wmma_text(case: Case) -> str:
    m, n, k = case.shape
    a, b, c = case.layouts

    def registers(elements: int, kind: str) -> int:
        return elements * BITS[kind] // 32 // max(32, BITS[kind])

    fragment = {
        "a": _names("a", 8 if case.a == "f16" else registers(m * k, case.a)),
        "b": _names("b", 8 if case.a == "f16" else registers(n * k, case.b)),
        "c": _names("c", registers(m * n, case.c)),
        "d": _names("d", registers(m * n, case.d)),
    }
    shape = _shape(case)
    strides = {"a": k if a == "row" else m, "b": n if b == "row" else k, "c": n if c == "row" else m}
    text = ""
    for x, name, layout, kind in ((1, "a", a, case.a), (2, "b", b, case.b), (3, "c", c, case.c)):
        opcode = f"wmma.load.{name}.sync.aligned.{layout}.{shape}.global.{kind}"
        text += f"{opcode} {fragment[name]}, [%p{x}], {strides[name]};\n"
    if case.a == "f16":
        kinds = f"{case.d}.{case.c}"
    else:
        kinds = f"{case.d}.{case.a}.{case.b}.{case.c}" + (".rn" if case.d == "f64" else "")
    saturate = ".satfinite" if case.saturate else ""
    text += f"wmma.mma.sync.aligned.{a}.{b}.{shape}.{kinds}{saturate} " + ", ".join(fragment[x] for x in "dabc") + ";\n"
    text += f"wmma.store.d.sync.aligned.{c}.{shape}.global.{case.d} [%p0], {fragment['d']}, {strides['c']};\n"
    return text


def cases() -> list[Case]:
    found = []
    for k, d in itertools.product((8, 16), ("f16", "f32")):
        found.append(Case("mma", (16, 8, k), d, "f16", "f16", d))
    found += [Case("mma", (16, 8, k), "f32", "bf16", "bf16", "f32") for k in (8, 16)]
    found += [Case("mma", (16, 8, k), "f32", "tf32", "tf32", "f32") for k in (4, 8)]
    for shape, a, b in itertools.product(((8, 8, 16), (16, 8, 16), (16, 8, 32)), ("s8", "u8"), ("s8", "u8")):
        found += [Case("mma", shape, "s32", a, b, "s32", saturate=saturate) for saturate in (False, True)]
    found.append(Case("mma", (8, 8, 4), "f64", "f64", "f64", "f64"))
    found += [Case("mma", (16, 8, k), "f64", "f64", "f64", "f64", target="sm_90") for k in (4, 8, 16)]
    wide = ((16, 16, 16), (32, 8, 16), (8, 32, 16))
    ways = list(itertools.product(("row", "col"), repeat=3))
    for shape, layouts in itertools.product(wide, ways):
        found.append(Case("wmma", shape, "f32", "f16", "f16", "f32", layouts))
        found.append(Case("wmma", shape, "s32", "s8", "s8", "s32", layouts))
    for shape, (d, c) in itertools.product(wide, (("f16", "f16"), ("f16", "f32"), ("f32", "f16"))):
        found.append(Case("wmma", shape, d, "f16", "f16", c, ("row", "row", "col")))
    for shape in wide:
        found.append(Case("wmma", shape, "f32", "bf16", "bf16", "f32", ("row", "row", "row")))
        found.append(Case("wmma", shape, "f32", "bf16", "bf16", "f32", ("col", "col", "col")))
        found.append(Case("wmma", shape, "s32", "u8", "u8", "s32", ("row", "row", "row"), saturate=True))
    for layouts in ways:
        found.append(Case("wmma", (16, 16, 8), "f32", "tf32", "tf32", "f32", layouts))
        found.append(Case("wmma", (8, 8, 4), "f64", "f64", "f64", "f64", layouts))
    return found


def further_cases() -> list[Case]:
    """Questions that the inputs of the others leave open: sums that end near or below the least number of D's type,
    and what becomes of the lower 13 bits of a tf32."""
    found = []
    for what in ("vanishing", "low bits"):
        found.append(Case("mma", (16, 8, 8), "f32", "tf32", "tf32", "f32", what=what))
        found.append(Case("wmma", (16, 16, 8), "f32", "tf32", "tf32", "f32", what=what))
    found.append(Case("mma", (16, 8, 16), "f32", "bf16", "bf16", "f32", what="vanishing"))
    found += [Case("mma", (16, 8, k), "f16", "f16", "f16", "f16", what="vanishing") for k in (8, 16)]
    found += [Case("wmma", (16, 16, 16), "f16", "f16", "f16", c, what="vanishing") for c in ("f16", "f32")]
    return found


# ---- inputs: the same on every machine ----

_FORMATS = {"f16": (10, 5), "bf16": (7, 8), "tf32": (10, 8), "f32": (23, 8), "f64": (52, 11)}
_UINT = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
KINDS = ("small integers", "like to like", "any size", "cancelling", "subnormal", "special", "huge", "one is large")


def _build(kind: str, sign, exponent, mantissa):
    """Floating-point numbers of their parts; ``exponent`` is the field, ``mantissa`` has ten random bits."""
    fraction, bits = _FORMATS[kind]
    mantissa = mantissa >> (10 - fraction) if fraction < 10 else mantissa << (fraction - 10)
    word = (sign << (fraction + bits)) | (exponent << fraction) | mantissa
    return (word << 13 if kind == "tf32" else word).astype(_UINT[BITS[kind]])


def _integers(kind: str, values):
    """Small integers, exact in every format."""
    if kind in ("s32", "s8", "u8"):
        return values.astype({"s32": np.int32, "s8": np.int8, "u8": np.uint8}[kind]).view(_UINT[BITS[kind]])
    if kind == "f64":
        return values.astype(np.float64).view(np.uint64)
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16)
    word = values.astype(np.float32).view(np.uint32)
    return (word >> 16).astype(np.uint16) if kind == "bf16" else word


def _random(rng, kind: str, count: int, what: str):
    if kind in ("s8", "u8"):
        return rng.integers(0, 256, count).astype(np.uint8)
    if kind == "s32":
        near = rng.integers(0, 1 << 16, count) - (1 << 15)
        edge = np.where(rng.integers(0, 2, count) == 0, -(1 << 31), (1 << 31) - 1)
        value = near if what in KINDS[:4] else np.clip(edge + near, -(1 << 31), (1 << 31) - 1)
        return value.astype(np.int32).view(np.uint32)
    fraction, bits = _FORMATS[kind]
    bias, top = (1 << (bits - 1)) - 1, (1 << bits) - 1
    sign, mantissa = rng.integers(0, 2, count), rng.integers(0, 1 << 10, count)
    spread = rng.integers(0, 1 << 20, count)
    if what == "vanishing":
        exponent = bias - 71 - spread % 12 if kind in ("bf16", "tf32") else spread % 2
    elif what == "any size":
        exponent = bias - min(bias - 1, 40) // 2 + spread % min(bias - 1, 40)
    elif what == "subnormal":
        # Of bf16 and tf32, the products are where f32 ends.
        exponent = bias - 60 - spread % 20 if kind in ("bf16", "tf32") else spread % 3 * (spread % 2)
    elif what == "huge":
        exponent = top - 1 - spread % (bias // 2)
    elif what == "one is large":
        exponent = bias + np.where(spread % 7 == 0, min(bias // 2, 11), -(spread % 5))
    else:
        exponent = bias - spread % 4
    if what == "special":
        rare = spread % 41
        exponent = np.where(rare < 2, top, np.where(rare < 4, 0, exponent))
        mantissa = np.where((rare == 0) | (rare == 2), 0, mantissa | 1)
    words = _build(kind, sign, exponent, mantissa)
    return words | rng.integers(0, 1 << 13, count).astype(np.uint32) if what == "low bits" and kind == "tf32" else words


def inputs(case: Case) -> list[np.ndarray]:
    """Words of A (m x k), B (n x k) and C (m x n) for every warp, before they are laid out."""
    m, n, k = case.shape
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    shapes = ((case.a, (m, k)), (case.b, (n, k)), (case.c, (m, n)))
    result = [np.empty((WARPS, *shape), _UINT[BITS[kind]]) for kind, shape in shapes]
    for warp in range(WARPS):
        what = case.kind_of(warp)
        for array, (kind, shape) in zip(result, shapes, strict=True):
            count = shape[0] * shape[1]
            if what == "small integers":
                low = 0 if kind == "u8" else -8
                words = _integers(kind, rng.integers(low, 9, count))
            else:
                words = _random(rng, kind, count, what)
            array[warp] = words.reshape(shape)
        if what == "vanishing":  # C is 0 or -0
            result[2][warp] &= result[2].dtype.type(1 << (BITS[case.c] - 1))
        if what == "cancelling" and case.a in _FORMATS:  # the second half of k takes the first half away
            a, b, _ = (x[warp] for x in result)
            sign = 1 << (BITS[case.a] - 1)
            a[:, k // 2 :] = a[:, : k // 2] ^ a.dtype.type(sign)
            b[:, k // 2 :] = b[:, : k // 2]
    return result


def laid_out(case: Case) -> list[np.ndarray]:
    """The inputs as they lie in memory."""
    a, b, c = inputs(case)
    turn = (0, 2, 1)
    return [
        np.ascontiguousarray(a if case.layouts[0] == "row" else a.transpose(turn)),
        np.ascontiguousarray(b if case.layouts[1] == "col" else b.transpose(turn)),
        np.ascontiguousarray(c if case.layouts[2] == "row" else c.transpose(turn)),
    ]


def result_of(case: Case, data: bytes) -> np.ndarray:
    """D, (WARPS, m, n), from the bytes of its buffer."""
    m, n, _ = case.shape
    words = np.frombuffer(data, _UINT[BITS[case.d]])
    return words.reshape(WARPS, m, n) if case.layouts[2] == "row" else words.reshape(WARPS, n, m).transpose(0, 2, 1)


def checksum(d: np.ndarray) -> np.ndarray:
    return np.array([zlib.crc32(np.ascontiguousarray(d).tobytes())], np.uint32)


def run_here(bench, case: Case) -> np.ndarray:
    """D of every warp, from the simulated GPU of a ``conftest.Bench``."""
    bench.device.reset()
    module = bench.device.load(case.ptx())
    count = WARPS * case.counts()[0] * BITS[case.d] // 8
    d = bench.device.alloc(count, name="d")
    a, b, c = (bench.array(x, name, read_only=True) for x, name in zip(laid_out(case), "abc", strict=True))
    launch = bench.launch(module, "run", (WARPS,), (32,), d, a, b, c)
    assert launch.fault is None, launch.fault
    return result_of(case, bench.device.read(d, count))


def values(kind: str, words: np.ndarray) -> np.ndarray:
    """The numbers of words of a type, in double precision or as integers."""
    if kind in ("s8", "s32"):
        return words.view(np.int8 if kind == "s8" else np.int32).astype(np.int64)
    if kind == "u8":
        return words.astype(np.int64)
    if kind == "f64":
        return words.view(np.float64)
    if kind == "f16":
        return words.view(np.float16).astype(np.float64)
    word = words.astype(np.uint32) << 16 if kind == "bf16" else words & 0xFFFFE000 if kind == "tf32" else words
    with np.errstate(invalid="ignore"):  # what is no number
        return word.view(np.float32).astype(np.float64)
