// Floating-point arithmetic as the PTX ISA defines it, the same on every host machine.
//
// Results that are not a number are canonical. Approximate functions do not use the machine's libm: they are
// evaluated in double precision by the polynomials below, and rounded to float once. Their error against the
// exact value is below 0.51 ulp of float (ex2, lg2, rsqrt, tanh; rcp, sqrt and div are correctly rounded),
// inside the 1 to 3 ulp or the absolute bound that the PTX ISA allows. sin and cos lose with |x| what a GPU loses.
#pragma once
#include <cfenv>
#include <cmath>

#include "state.h"

template <class To, class From>
inline To bits(From x) {
  static_assert(sizeof(To) == sizeof(From), "same width");
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}

inline f32 canonical(f32 x) { return x != x ? bits<f32>(0x7fffffffu) : x; }

// A double that is not a number keeps the bits of the last operand that was none; see `settle`. PTX leaves these
// bits open, they are an H200's; its fma prefers the second operand, then the third, then the first.
constexpr u64 kInvalid = 0xfff8000000000000ull;
inline f64 quiet(f64 x) { return bits<f64>(bits<u64>(x) | 0x0008000000000000ull); }
inline f64 settle(f64 result, f64 x) {
  return result == result ? result : (x != x ? quiet(x) : bits<f64>(kInvalid));
}
inline f64 settle(f64 result, f64 x, f64 y) {
  return result == result ? result : (y != y ? quiet(y) : settle(result, x));
}
inline f64 settle(f64 result, f64 x, f64 y, f64 z) {
  return result == result ? result : (y != y ? quiet(y) : settle(result, x, z));
}
inline f64 fma_f64(f64 x, f64 y, f64 z) { return settle(__builtin_fma(x, y, z), x, y, z); }
inline f64 sqrt_f64(f64 x) { return settle(__builtin_sqrt(x), x); }
inline f64 neg_f64(f64 x) { return x != x ? quiet(x) : bits<f64>(bits<u64>(x) ^ 0x8000000000000000ull); }
inline f64 abs_f64(f64 x) { return x != x ? quiet(x) : bits<f64>(bits<u64>(x) & 0x7fffffffffffffffull); }
inline f32 neg_f32(f32 x) { return canonical(bits<f32>(bits<u32>(x) ^ 0x80000000u)); }
inline f32 abs_f32(f32 x) { return canonical(bits<f32>(bits<u32>(x) & 0x7fffffffu)); }
// f16 and bf16: `infinity` are the bits above which nothing is a number.
inline u16 neg_half(u16 h, u32 infinity) { return (h & 0x7fffu) > infinity ? 0x7fff : h ^ 0x8000; }
inline u16 abs_half(u16 h, u32 infinity) { return (h & 0x7fffu) > infinity ? 0x7fff : h & 0x7fff; }

inline f32 ftz(f32 x) {
  u32 b = bits<u32>(x);
  return (b & 0x7f800000u) ? x : bits<f32>(b & 0x80000000u);
}
inline u16 ftz_f16(u16 h) { return (h & 0x7c00) ? h : h & 0x8000; }
inline f32 saturate(f32 x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }  // NaN and -0 become +0
inline f64 saturate(f64 x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

// ---- f16 and bf16 ----

// The compiler's own f16, where C++ has one: g++ 12 for aarch64 knows it by this name only.
#if defined(__aarch64__)
#define ENGINE_F16 __fp16
#elif defined(__FLT16_MANT_DIG__)
#define ENGINE_F16 _Float16
#endif

inline f32 from_f16(u16 h) {
#ifdef ENGINE_F16
  return static_cast<f32>(bits<ENGINE_F16>(h));
#else
  u32 sign = (h & 0x8000u) << 16, rest = h & 0x7fffu;
  if (rest >= 0x7c00u) return bits<f32>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  // Scaling by 2^112 moves the exponent's bias, and is exact for subnormals too.
  f32 scaled = bits<f32>(rest << 13) * bits<f32>(0x77800000u);
  return bits<f32>(sign | bits<u32>(scaled));
#endif
}

inline u16 to_f16(f32 x) {  // to nearest even
#ifdef ENGINE_F16
  u16 h = bits<u16>(static_cast<ENGINE_F16>(x));
  return x != x ? 0x7fff : h;
#else
  u32 b = bits<u32>(x), sign = b >> 16 & 0x8000u, rest = b & 0x7fffffffu;
  if (rest > 0x7f800000u) return 0x7fff;
  if (rest >= 0x477ff000u) return sign | 0x7c00u;
  if (rest < 0x38800000u) {  // subnormal: adding 0.5 lets the hardware round at the right bit
    f32 shifted = bits<f32>(rest) + 0.5f;
    return sign | (bits<u32>(shifted) - 0x3f000000u);
  }
  rest += 0xfffu + (rest >> 13 & 1);
  return sign | ((rest - 0x38000000u) >> 13);
#endif
}

// `x != x` on what was widened would be a call per lane where the compiler compares in f16.
inline f32 widen_f16(u16 h) { return (h & 0x7fff) > 0x7c00 ? bits<f32>(0x7fffffffu) : from_f16(h); }

inline f32 from_bf16(u16 h) { return bits<f32>(static_cast<u32>(h) << 16); }
inline u16 to_bf16(f32 x) {  // to nearest even
  u32 b = bits<u32>(x);
  return x != x ? 0x7fff : (b + 0x7fff + (b >> 16 & 1)) >> 16;
}

// The float next to an exact value, with its last bit set where it is inexact. Rounding such a value to a
// shorter format gives the same as rounding the exact value once.
inline f64 sum_to_odd(f64 x, f64 y) {
  f64 sum = x + y, back = sum - x;
  f64 error = (x - (sum - back)) + (y - back);
  u64 b = bits<u64>(sum);
  if (error == 0 || error != error || (b & 1)) return sum;
  return bits<f64>((error > 0) == (sum > 0) ? b + 1 : b - 1);
}
inline f32 narrow_to_odd(f64 x) {
  f32 y = static_cast<f32>(x);
  f64 error = x - y;
  u32 b = bits<u32>(y);
  if (error == 0 || error != error || std::isinf(y) || (b & 1)) return y;
  if (y == 0) return bits<f32>((x < 0 ? 0x80000000u : 0u) | 1u);
  return bits<f32>((error > 0) == (y > 0) ? b + 1 : b - 1);
}

// With .ftz a result is flushed where it would be subnormal if exponents had no end. That is more than
// flushing the rounded result: a number just below the smallest normal one rounds up to it, but counts as
// subnormal.
constexpr f64 kSmallestNormal = 0x1p-126;
inline f32 flush_exact(f32 rounded, f64 exact) {
  bool tiny = __builtin_fabs(exact) < kSmallestNormal * (1 - 0x1p-25);
  return tiny ? bits<f32>(bits<u32>(rounded) & 0x80000000u) : rounded;
}
inline f32 mul_ftz(f32 x, f32 y) { return canonical(flush_exact(x * y, static_cast<f64>(x) * y)); }
inline f32 fma_ftz(f32 x, f32 y, f32 z) {
  return canonical(flush_exact(__builtin_fmaf(x, y, z), sum_to_odd(static_cast<f64>(x) * y, z)));
}
inline f32 fma_to_odd(f32 x, f32 y, f32 z) {
  return narrow_to_odd(sum_to_odd(static_cast<f64>(x) * y, z));  // the product is exact in double
}

inline u16 add_f16(u16 x, u16 y) { return to_f16(from_f16(x) + from_f16(y)); }
inline u16 sub_f16(u16 x, u16 y) { return to_f16(from_f16(x) - from_f16(y)); }
inline u16 mul_f16(u16 x, u16 y) { return to_f16(from_f16(x) * from_f16(y)); }
inline u16 fma_f16(u16 x, u16 y, u16 z) { return to_f16(fma_to_odd(from_f16(x), from_f16(y), from_f16(z))); }
inline u16 fma_bf16(u16 x, u16 y, u16 z) {
  return to_bf16(fma_to_odd(from_bf16(x), from_bf16(y), from_bf16(z)));
}
inline u16 saturate_f16(u16 h) { return to_f16(saturate(from_f16(h))); }

// ---- minimum and maximum: a NaN loses against a number, -0 is below +0 ----

template <class F, class U>
inline F minimum(F x, F y) {
  F tie = bits<F>(static_cast<U>(bits<U>(x) | bits<U>(y)));
  F least = x < y ? x : y;
  least = x == y ? tie : least;
  return x != x ? y : (y != y ? x : least);
}
template <class F, class U>
inline F maximum(F x, F y) {
  F tie = bits<F>(static_cast<U>(bits<U>(x) & bits<U>(y)));
  F most = x > y ? x : y;
  most = x == y ? tie : most;
  return x != x ? y : (y != y ? x : most);
}
inline f32 min_f32(f32 x, f32 y) { return canonical(minimum<f32, u32>(x, y)); }
inline f32 max_f32(f32 x, f32 y) { return canonical(maximum<f32, u32>(x, y)); }
inline f64 min_f64(f64 x, f64 y) { return settle(minimum<f64, u64>(x, y), x, y); }
inline f64 max_f64(f64 x, f64 y) { return settle(maximum<f64, u64>(x, y), x, y); }

// ---- directed rounding ----

enum Rounding : s32 { kNearest = 0, kTowardZero, kDown, kUp };

// Sets the machine's rounding mode. Operands and results pass through volatile variables, so that the
// compiler moves no arithmetic out of the scope.
class RoundingScope {
 public:
  explicit RoundingScope(s32 mode) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(modes[mode & 3]);
  }
  ~RoundingScope() { std::fesetround(FE_TONEAREST); }
};

enum Arithmetic : s32 { kAdd = 0, kSub, kMul, kFma, kDiv, kSqrt, kReciprocal };

template <class F>
__attribute__((noinline)) inline F rounded(s32 what, s32 mode, F x, F y, F z) {
  volatile F a = x, b = y, c = z;
  volatile F result = 0;
  RoundingScope scope(mode);
  switch (what) {
    case kAdd: result = a + b; break;
    case kSub: result = a - b; break;
    case kMul: result = a * b; break;
    case kFma: result = std::fma(static_cast<F>(a), static_cast<F>(b), static_cast<F>(c)); break;
    case kDiv: result = a / b; break;
    case kSqrt: result = std::sqrt(static_cast<F>(a)); break;
    default: result = F(1) / a; break;
  }
  return result;
}

// ---- approximate functions ----

// One step of Horner's rule.
inline f64 step(f64 p, f64 x, f64 coefficient) { return __builtin_fma(p, x, coefficient); }

// 2^x. The polynomial is the series of e^(f ln 2) for |f| <= 0.5, to a relative error below 2^-36.
inline f32 ex2(f32 x) {
  f32 clamped = x > 200.0f ? 200.0f : (x < -200.0f ? -200.0f : x);
  f32 whole = __builtin_rintf(clamped);
  f64 t = (static_cast<f64>(clamped) - whole) * 0.693147180559945309417;
  f64 p = 1.0 / 362880;
  p = step(p, t, 1.0 / 40320);
  p = step(p, t, 1.0 / 5040);
  p = step(p, t, 1.0 / 720);
  p = step(p, t, 1.0 / 120);
  p = step(p, t, 1.0 / 24);
  p = step(p, t, 1.0 / 6);
  p = step(p, t, 0.5);
  p = step(p, t, 1.0);
  p = step(p, t, 1.0);
  s64 exponent = static_cast<s32>(whole == whole ? whole : 0.0f);
  f64 scale = bits<f64>(static_cast<u64>(exponent + 1023) << 52);
  return canonical(x != x ? x : static_cast<f32>(p * scale));
}

// log2 of a positive normal double: exponent plus 2 atanh((m - 1) / (m + 1)) / ln 2 for m in [0.70, 1.42).
inline f64 log2_positive(f64 x) {
  u64 b = bits<u64>(x);
  u64 offset = b - 0x3fe6a09e667f3bcdull;  // sqrt(1/2)
  s64 exponent = static_cast<s64>(offset) >> 52;
  f64 m = bits<f64>(b - (static_cast<u64>(exponent) << 52));
  f64 s = (m - 1) / (m + 1), q = s * s;
  f64 p = 1.0 / 19;
  p = step(p, q, 1.0 / 17);
  p = step(p, q, 1.0 / 15);
  p = step(p, q, 1.0 / 13);
  p = step(p, q, 1.0 / 11);
  p = step(p, q, 1.0 / 9);
  p = step(p, q, 1.0 / 7);
  p = step(p, q, 1.0 / 5);
  p = step(p, q, 1.0 / 3);
  p = step(p, q, 1.0);
  return static_cast<f64>(exponent) + 2.0 * 1.44269504088896340736 * s * p;
}
inline f32 lg2(f32 x) {
  f32 usual = static_cast<f32>(log2_positive(x > 0 && x < HUGE_VALF ? x : 1.0f));
  f32 special = x == 0 ? -HUGE_VALF : (x == HUGE_VALF ? x : bits<f32>(0x7fffffffu));
  return x > 0 && x < HUGE_VALF ? usual : special;
}

inline f32 rsqrt(f32 x) { return canonical(static_cast<f32>(1.0 / __builtin_sqrt(static_cast<f64>(x)))); }

// sin (quadrant 0) or cos (quadrant 1) of an angle that a GPU rounds first: x times 1 / 2 pi, both floats, cut to a
// float and then to 2^-25 of a turn. The bounds of the PTX ISA 9.0 follow from that, 2^-20.5 up to 2 pi and 2^-14.7
// up to 100 pi. Past 2^26 all angles are whole turns, below 2^-23 all are none.
inline f32 sine(f32 x, s64 quadrant) {
  if (!(std::fabs(x) < HUGE_VALF)) return bits<f32>(0x7fffffffu);
  f64 turns = bits<f64>(bits<u64>(std::fabs(static_cast<f64>(x)) * 0x1.45f306p-3) & ~((1ull << 29) - 1));
  s64 angle = turns < 0x1p25 ? static_cast<s64>(turns * 0x1p25) : 0, eighth = 1 << 22;
  s64 nearest = (angle + eighth) >> 23, k = nearest + quadrant;
  f64 r = static_cast<f64>(angle - (nearest << 23)) * (6.28318530717958647693 * 0x1p-25);
  f64 q = r * r;
  f64 s = -1.0 / 39916800;
  s = step(s, q, 1.0 / 362880);
  s = step(s, q, -1.0 / 5040);
  s = step(s, q, 1.0 / 120);
  s = step(s, q, -1.0 / 6);
  s = r + r * q * s;
  f64 c = 1.0 / 479001600;
  c = step(c, q, -1.0 / 3628800);
  c = step(c, q, 1.0 / 40320);
  c = step(c, q, -1.0 / 720);
  c = step(c, q, 1.0 / 24);
  c = step(c, q, -0.5);
  c = step(c, q, 1.0);
  bool negative = ((k & 2) != 0) != (quadrant == 0 && std::signbit(x));
  f64 y = (k & 1) ? c : s;
  return static_cast<f32>(negative ? -y : y);
}

inline f32 tanh_approx(f32 x) {
  f64 magnitude = std::fabs(static_cast<f64>(x));
  f64 q = magnitude * magnitude;
  f64 small = magnitude * (1 - q * (1.0 / 3 - q * (2.0 / 15 - q * (17.0 / 315))));
  // e^(2x) as 2^(2x log2 e); in double, so that no second rounding shows.
  f64 z = (magnitude > 20 ? 20 : magnitude) * 2.88539008177792681472;
  f64 whole = __builtin_rint(z), t = (z - whole) * 0.693147180559945309417;
  f64 p = 1.0 / 479001600;
  p = step(p, t, 1.0 / 39916800);
  p = step(p, t, 1.0 / 3628800);
  p = step(p, t, 1.0 / 362880);
  p = step(p, t, 1.0 / 40320);
  p = step(p, t, 1.0 / 5040);
  p = step(p, t, 1.0 / 720);
  p = step(p, t, 1.0 / 120);
  p = step(p, t, 1.0 / 24);
  p = step(p, t, 1.0 / 6);
  p = step(p, t, 0.5);
  p = step(p, t, 1.0);
  p = step(p, t, 1.0);
  f64 exponential =
      p * bits<f64>(static_cast<u64>(static_cast<s64>(whole == whole ? whole : 0) + 1023) << 52);
  f64 large = 1 - 2 / (exponential + 1);
  f32 y = static_cast<f32>(magnitude < 0.03 ? small : large);
  return canonical(x != x ? x : bits<f32>(bits<u32>(y) | (bits<u32>(x) & 0x80000000u)));
}

// div.approx gives 0 where the divisor's reciprocal would be subnormal, as the PTX ISA says.
inline f32 div_approx(f32 x, f32 y) {
  f32 magnitude = std::fabs(y);
  if (magnitude > 0x1p126f && magnitude < HUGE_VALF) {
    if (std::fabs(x) == HUGE_VALF || x != x) return bits<f32>(0x7fffffffu);
    return bits<f32>((bits<u32>(x) ^ bits<u32>(y)) & 0x80000000u);
  }
  return canonical(x / y);
}
