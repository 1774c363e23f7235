"""The functions of CUDA's math library and the approximate instructions, each as a kernel on three inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TYPES = {"float": np.float32, "double": np.float64, "__half": np.float16, "__nv_bfloat16": np.uint16}
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"

# With f behind the name for float.
_UNARY = """sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sinpi cospi exp exp2 exp10 expm1 log log2 log10
    log1p logb sqrt rsqrt cbrt rcbrt erf erfc erfcx erfinv erfcinv normcdf normcdfinv lgamma tgamma j0 j1 y0 y1
    cyl_bessel_i0 cyl_bessel_i1 ceil floor trunc rint nearbyint round fabs""".split()
_BINARY = "pow atan2 hypot rhypot fmod remainder fdim fmax fmin copysign nextafter".split()
_TERNARY = "fma norm3d rnorm3d".split()
_INTRINSICS = """__sinf(x) __cosf(x) __tanf(x) __expf(x) __exp10f(x) __logf(x) __log2f(x) __log10f(x) __powf(x,y)
    __fdividef(x,y) __frsqrt_rn(x) __frcp_rn(x) __frcp_rz(x) __fsqrt_rn(x) __fsqrt_ru(x) __fdiv_rn(x,y) __fdiv_rd(x,y)
    __saturatef(x) x/y 1/x ldexpf(x,3) scalbnf(x,-9) jnf(3,x) ynf(2,x) powf(x,3) sinf(x)*cosf(y)""".split()
_DOUBLE = """__drcp_rn(x) __dsqrt_rn(x) __ddiv_rn(x,y) __ddiv_ru(x,y) x/y 1/x ldexp(x,3) jn(3,x) yn(2,x) pow(x,3)
    log1p(x)*exp(y)""".split()
_HALVES = "sin cos exp exp2 exp10 log log2 log10 sqrt rsqrt rcp tanh tanh_approx ceil floor rint trunc".split()
_PTX = """ex2.approx.f32 ex2.approx.ftz.f32 lg2.approx.f32 lg2.approx.ftz.f32 sin.approx.f32 sin.approx.ftz.f32
    cos.approx.f32 cos.approx.ftz.f32 tanh.approx.f32 rcp.approx.f32 rcp.approx.ftz.f32 rsqrt.approx.f32
    rsqrt.approx.ftz.f32 sqrt.approx.f32 sqrt.approx.ftz.f32""".split()
_PTX_BINARY = "div.approx.f32 div.approx.ftz.f32 div.full.f32 div.full.ftz.f32".split()
_PTX_DOUBLE = "rcp.approx.ftz.f64 rsqrt.approx.f64 rsqrt.approx.ftz.f64".split()
_PTX_HALF = "ex2.approx.f16 tanh.approx.f16".split()
_PTX_BF16 = "ex2.approx.ftz.bf16 tanh.approx.bf16".split()


@dataclass(frozen=True)
class Expression:
    name: str
    type: str
    code: str  # of x, y, z

    def kernel(self, number: int) -> str:
        t = self.type
        return (
            f'extern "C" __global__ void f{number}({t}* d, const {t}* a, const {t}* b, const {t}* c) {{ '
            f"int i = blockIdx.x * blockDim.x + threadIdx.x; {t} x = a[i], y = b[i], z = c[i], r; "
            f"{self.code} d[i] = r; }}"
        )


def expressions() -> list[Expression]:
    """Every one; names are distinct."""
    found = []
    for suffix, t in (("f", "float"), ("", "double")):
        for names, arguments in ((_UNARY, "x"), (_BINARY, "x, y"), (_TERNARY, "x, y, z")):
            for name in names:
                found.append(Expression(f"{name}{suffix}", t, f"r = {name}{suffix}({arguments});"))
    found += [Expression(code, "float", f"r = {code};") for code in _INTRINSICS]
    found += [Expression(f"{code} double", "double", f"r = {code};") for code in _DOUBLE]
    for prefix, t in (("__half", "__half"), ("__nv_bfloat16", "__nv_bfloat16")):
        found += [Expression(f"h{name} {prefix}", t, f"r = h{name}(x);") for name in _HALVES]
        found.append(Expression(f"__hdiv {prefix}", t, "r = __hdiv(x, y);"))
    for names, t, letter, operands in (
        (_PTX, "float", "f", "%0, %1"), (_PTX_BINARY, "float", "f", "%0, %1, %2"),
        (_PTX_DOUBLE, "double", "d", "%0, %1"),
    ):  # fmt: skip
        for name in names:
            code = f'asm("{name} {operands};" : "={letter}"(r) : "{letter}"(x), "{letter}"(y));'
            found.append(Expression(name, t, code))
    for names, t in ((_PTX_HALF, "__half"), (_PTX_BF16, "__nv_bfloat16")):
        for name in names:
            code = f'asm("{name} %0, %1;" : "=h"((unsigned short&)r) : "h"((unsigned short&)x));'
            found.append(Expression(name, t, code))
    return found


def source() -> str:
    return HEADERS + "\n".join(e.kernel(k) for k, e in enumerate(expressions())) + "\n"


def inputs(t: str, count: int) -> list[np.ndarray]:
    """Three arrays: edges, any bits, and numbers of usual sizes, half of them. The first has all values of 16 bits if
    there is room."""
    dtype = np.dtype(TYPES[t])
    bits = np.dtype(f"u{dtype.itemsize}")
    found = []
    for position in range(3):
        random = np.random.default_rng([position, dtype.itemsize])
        data = random.integers(0, np.iinfo(bits).max, count, dtype=bits, endpoint=True)
        usual = random.standard_normal(count) * 2.0 ** random.integers(-8, 8, count)
        if t == "__nv_bfloat16":
            data[::2] = (usual.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)[::2]
        else:
            data[::2] = usual.astype(dtype).view(bits)[::2]
        edges = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, np.inf, -np.inf, np.nan, np.pi, 10.0, -10.0, 88.0, 709.0])
        if t == "__nv_bfloat16":
            small = (edges.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        else:
            small = edges.astype(dtype).view(bits)
        pairs = np.arange(min(count, len(edges) ** 2))
        data[pairs] = small[pairs // len(edges) if position == 0 else pairs * (2 * position - 1) % len(edges)]
        if position == 0 and count == 1 << (8 * dtype.itemsize):
            data = np.arange(count, dtype=bits)
        found.append(data)
    return found


def numbers(bits: np.ndarray, t: str) -> np.ndarray:
    """The values as double."""
    with np.errstate(invalid="ignore"):
        if t == "__nv_bfloat16":
            return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return bits.view(TYPES[t]).astype(np.float64)


def distance(a: np.ndarray, b: np.ndarray, t: str) -> np.ndarray:
    """How many representable numbers lie between the bits ``a`` and ``b``; inf where one alone is no number."""
    size = a.dtype.itemsize
    top = 1 << (8 * size - 1)
    exponent = {"float": 8, "double": 11, "__half": 5, "__nv_bfloat16": 8}[t]
    infinity = ((1 << exponent) - 1) << (8 * size - 1 - exponent)
    magnitude = [x & x.dtype.type(top - 1) for x in (a, b)]
    nan = [m > infinity for m in magnitude]
    place = [
        np.where(x >= top, -m.astype(np.float64), m.astype(np.float64)) for x, m in zip((a, b), magnitude, strict=True)
    ]
    apart = np.abs(place[0] - place[1])
    if size == 8:  # beyond 2^53 a double would round the difference
        same = (a >= top) == (b >= top)
        exact = np.where(magnitude[0] > magnitude[1], magnitude[0] - magnitude[1], magnitude[1] - magnitude[0])
        apart = np.where(same, exact.astype(np.float64), apart)
    return np.where(nan[0] | nan[1], np.where(nan[0] == nan[1], 0.0, np.inf), apart)
