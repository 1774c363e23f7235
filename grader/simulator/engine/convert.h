// Helpers of the operations in ops.inc: rounded and saturating forms, conversions.
#pragma once
#include "floats.h"
#include "integers.h"

// Bits of Instruction::flags for floating-point operations; the two lowest are a Rounding.
enum FloatFlag : s32 {
  kFtz = 4,
  kSat = 8,
  kNanWins = 16,
  kBf16 = 32,
  kInteger = 64,
  kSigned = 128,
  kRelu = 256,
  kSatFinite = 512,
  kXorSign = 1024,
};

// Numbers of Instruction::type, the same as in decode/types.py.
enum Type : s32 { kU8 = 0, kS8, kU16, kS16, kU32, kS32, kU64, kS64, kF16, kBF16, kF32, kF64 };

inline u16 relu_bf16(u16 h) { return (h & 0x7fff) > 0x7f80 || !(h & 0x8000) ? h : 0; }

inline f64 flush_f64(f64 x) {
  u64 b = bits<u64>(x);
  return (b & 0x7ff0000000000000ull) ? x : bits<f64>(b & 0x8000000000000000ull);
}
inline f64 cut_f64(f64 x) { return bits<f64>(bits<u64>(x) & 0xffffffff00000000ull); }
// The approximate double functions see and give the high word alone.
inline f64 high_word(f64 x) { return x != x ? bits<f64>(0x7fffffff00000000ull) : flush_f64(cut_f64(x)); }

// What is not a number keeps its payload between f32 and f64.
inline f64 widen(f32 x) {
  u64 b = bits<u32>(x);
  u64 nan = (b & 0x80000000u) << 32 | 0x7ff8000000000000ull | (b & 0x7fffffu) << 29;
  return x != x ? bits<f64>(nan) : static_cast<f64>(x);
}
inline f32 narrow_nan(f32 narrowed, f64 x) {
  u64 b = bits<u64>(x);
  u32 nan = static_cast<u32>(b >> 32 & 0x80000000u) | 0x7fc00000u | static_cast<u32>(b >> 29 & 0x7fffffu);
  return x != x ? bits<f32>(nan) : narrowed;
}

// i.mode: the operation (Arithmetic); i.flags: rounding, .ftz, .sat.
inline f32 round_f32(f32 x, f32 y, f32 z, const Instruction& i) {
  if (i.flags & kFtz) x = ftz(x), y = ftz(y), z = ftz(z);
  f32 r = canonical(rounded<f32>(i.mode, i.flags & 3, x, y, z));
  if (i.flags & kFtz) {
    if (std::fabs(r) == 0x1p-126f && i.mode >= kMul) {  // see flush_exact: the same with more room below
      f32 scaled = rounded<f32>(i.mode, i.flags & 3, x * 0x1p64f, y, z * 0x1p64f);
      if (std::fabs(scaled) < 0x1p-62f) r = bits<f32>(bits<u32>(r) & 0x80000000u);
    }
    r = ftz(r);
  }
  return i.flags & kSat ? saturate(r) : r;
}
inline f64 round_f64(f64 x, f64 y, f64 z, const Instruction& i) {
  f64 r = rounded<f64>(i.mode, i.flags & 3, x, y, z);
  switch (i.mode) {
    case kFma: return settle(r, x, y, z);
    case kDiv: return settle(r, y, x);
    case kSqrt:
    case kReciprocal: return settle(r, x);
    default: return settle(r, x, y);
  }
}

inline u32 both(u16 low, u16 high) { return low | static_cast<u32>(high) << 16; }

inline u16 half(u16 x, u16 y, u16 z, const Instruction& i) {
  if (i.flags & kFtz) x = ftz_f16(x), y = ftz_f16(y), z = ftz_f16(z);
  u16 r;
  f32 exact;  // or the next odd number; tells what is subnormal before it is rounded
  switch (i.mode) {
    case kAdd: r = add_f16(x, y), exact = from_f16(x) + from_f16(y); break;
    case kSub: r = sub_f16(x, y), exact = from_f16(x) - from_f16(y); break;
    case kMul: r = mul_f16(x, y), exact = from_f16(x) * from_f16(y); break;
    default: r = fma_f16(x, y, z), exact = fma_to_odd(from_f16(x), from_f16(y), from_f16(z)); break;
  }
  if ((i.flags & kFtz) && std::fabs(exact) < 0x1p-14f * (1 - 0x1p-12f)) r &= 0x8000;
  if (i.flags & kSat) r = saturate_f16(r);
  if ((i.flags & kRelu) && !(from_f16(r) > 0) && (r & 0x7fff) <= 0x7c00) r = 0;
  return r;
}
inline u16 sign_ftz(u16 x, const Instruction& i) {  // i.mode: 0 abs, 1 neg
  u16 r = i.mode ? neg_half(x, 0x7c00) : abs_half(x, 0x7c00);
  return (r & 0x7fff) > 0x7c00 ? r : ftz_f16(r);
}
inline f32 widen_half(u16 x, s32 flags) {
  if ((flags & kFtz) && !(flags & kBf16)) x = ftz_f16(x);
  return flags & kBf16 ? from_bf16(x) : from_f16(x);
}
// .xorsign.abs: of the magnitudes, with the product's sign.
inline f32 minmax_xorsign(f32 x, f32 y, const Instruction& i) {  // i.mode: 0 minimum, 1 maximum
  u32 sign = (bits<u32>(x) ^ bits<u32>(y)) & 0x80000000u;
  if ((i.flags & kNanWins) && (x != x || y != y)) return bits<f32>(0x7fffffffu);
  if (i.flags & kFtz) x = ftz(x), y = ftz(y);
  f32 r = i.mode ? max_f32(std::fabs(x), std::fabs(y)) : min_f32(std::fabs(x), std::fabs(y));
  return r != r ? r : bits<f32>(bits<u32>(r) | sign);
}
inline u16 minmax_half(u16 x, u16 y, const Instruction& i) {  // i.mode: 0 minimum, 1 maximum
  f32 p = widen_half(x, i.flags), q = widen_half(y, i.flags);
  if ((i.flags & kNanWins) && (p != p || q != q)) return 0x7fff;
  u16 sign = (i.flags & kXorSign) ? (x ^ y) & 0x8000 : 0;
  if (i.flags & kXorSign) p = std::fabs(p), q = std::fabs(q);
  f32 r = i.mode ? max_f32(p, q) : min_f32(p, q);
  if (r == r && sign) r = -r;
  return i.flags & kBf16 ? to_bf16(r) : to_f16(r);
}
inline u16 function_half(u16 x, const Instruction& i) {  // i.mode: 0 ex2, 1 tanh
  f32 p = widen_half(x, i.flags), r = i.mode ? tanh_approx(p) : ex2(p);
  if (i.flags & kBf16) return to_bf16(i.flags & kFtz ? ftz(r) : r);
  return i.flags & kFtz ? ftz_f16(to_f16(r)) : to_f16(r);
}

// ---- cvt ----

inline f64 round_to_integer(f64 x, s32 mode) {
  return mode == kNearest      ? __builtin_rint(x)
         : mode == kTowardZero ? __builtin_trunc(x)
         : mode == kDown       ? __builtin_floor(x)
                               : __builtin_ceil(x);
}

// An integer value held in 128 bits, clamped or cut to an integer type. Results are bits, extended by sign.
inline u64 to_integer(__int128 x, s32 type, bool clamp) {
  static const int widths[] = {8, 8, 16, 16, 32, 32, 64, 64};
  int width = widths[type];
  bool is_signed = type & 1;
  if (clamp) {
    __int128 high =
        is_signed ? (static_cast<__int128>(1) << (width - 1)) - 1 : (static_cast<__int128>(1) << width) - 1;
    __int128 low = is_signed ? -high - 1 : 0;
    x = x > high ? high : (x < low ? low : x);
  }
  u64 result = static_cast<u64>(x);
  if (width == 64) return result;
  int shift = 64 - width;
  return is_signed ? static_cast<u64>(static_cast<s64>(result << shift) >> shift) : result << shift >> shift;
}

__attribute__((noinline)) inline f32 narrow(f64 x, s32 mode) {
  volatile f64 source = x;
  RoundingScope scope(mode);
  volatile f32 result = static_cast<f32>(source);
  return result;
}
template <class F>
__attribute__((noinline)) inline F from_integer(__int128 x, s32 mode) {
  RoundingScope scope(mode);
  if (x < 0) {
    volatile s64 source = static_cast<s64>(x);
    volatile F result = static_cast<F>(source);
    return result;
  }
  volatile u64 source = static_cast<u64>(x);
  volatile F result = static_cast<F>(source);
  return result;
}

// f16 or bf16 from a double that holds the exact value, or one rounded to odd.
inline u16 narrow_half(f64 x, s32 mode, bool is_bf16) {
  f32 y = narrow_to_odd(x);
  u16 nearest = is_bf16 ? to_bf16(y) : to_f16(y);
  if (mode == kNearest || x != x) return nearest;
  f64 got = is_bf16 ? from_bf16(nearest) : from_f16(nearest);
  bool too_big = got > x, too_small = got < x;
  bool down = mode == kDown || (mode == kTowardZero && x > 0),
       up = mode == kUp || (mode == kTowardZero && x < 0);
  if (too_big && down) return got > 0 ? nearest - 1 : (nearest & 0x7fff) == 0 ? 0x8001 : nearest + 1;
  if (too_small && up) return got < 0 ? nearest - 1 : (nearest & 0x7fff) == 0 ? 0x0001 : nearest + 1;
  return nearest;
}

// What is not a number stays so. Its payload is kept between f64 and the others, as on an H200; f16, bf16 and f32
// have one each.
inline u64 convert_nan(u64 x, const Instruction& i) {
  if (i.flags & kSat) return 0;
  bool is_half = i.type == kF16 || i.type == kBF16;
  switch (i.source_type) {
    case kF64:
      if (i.type == kF64) return x | 0x0008000000000000ull;
      if (i.type == kF32) return bits<u32>(narrow_nan(0, bits<f64>(x)));
      return (x >> 48 & 0x8000) | (i.type == kBF16 ? 0x7fc0 | (x >> 45 & 0x7f) : 0x7e00 | (x >> 42 & 0x3ff));
    case kF32:
      if (i.type == kF64)
        return bits<u64>(widen(i.flags & kFtz ? bits<f32>(0x7fffffffu) : bits<f32>(static_cast<u32>(x))));
      return is_half ? 0x7fff : 0x7fffffffu;
    case kBF16:
      if (i.type == kF64) return (x & 0x8000) << 48 | 0x7ff8000000000000ull | (x & 0x7f) << 45;
      return is_half ? 0x7fff : 0x7fffffffu;
    default:
      if (i.type == kF64) return (x & 0x8000) << 48 | 0x7ff8000000000000ull | (x & 0x3ff) << 42;
      return is_half ? 0x7fff : 0x7fffffffu;
  }
}

inline u16 finite_half(u16 h, u32 infinity) { return (h & 0x7fffu) == infinity ? h - 1 : h; }

// The general conversion: i.type from i.source_type; i.flags: rounding, .ftz, .sat, kInteger for .rni and so
// on.
inline u64 convert(u64 x, const Instruction& i) {
  s32 mode = i.flags & 3;
  bool sat = i.flags & kSat;
  if (i.source_type <= kS64) {
    u64 bits64 = to_integer(static_cast<__int128>(x), i.source_type, false);
    __int128 value =
        (i.source_type & 1) ? static_cast<__int128>(static_cast<s64>(bits64)) : static_cast<__int128>(bits64);
    if (i.type <= kS64) return to_integer(value, i.type, sat);
    if (i.type == kF64) {
      f64 r = from_integer<f64>(value, mode);
      return bits<u64>(sat ? saturate(r) : r);
    }
    if (i.type == kF32) {
      f32 r = from_integer<f32>(value, mode);
      return bits<u32>(sat ? saturate(r) : r);
    }
    // To a half: 64 bits do not fit a double, so the rest below its last bit is made sticky.
    f64 wide = from_integer<f64>(value, kTowardZero);
    if (static_cast<__int128>(wide) != value && !(bits<u64>(wide) & 1)) wide = bits<f64>(bits<u64>(wide) | 1);
    u16 h = narrow_half(wide, mode, i.type == kBF16);
    return sat ? saturate_f16(h) : h;
  }
  f64 value;
  switch (i.source_type) {
    case kF16: value = from_f16(static_cast<u16>(x)); break;
    case kBF16: value = from_bf16(static_cast<u16>(x)); break;
    case kF32: {
      f32 single = bits<f32>(static_cast<u32>(x));
      value = i.flags & kFtz ? ftz(single) : single;
      break;
    }
    default: value = bits<f64>(x); break;
  }
  if (value != value && i.type > kS64) return convert_nan(x, i);
  if (i.type <= kS64) {  // float to integer always clamps; a NaN becomes 0, or 1 << (width - 1)
    if (value != value) {
      static const int widths[] = {8, 8, 16, 16, 32, 32, 64, 64};
      bool lowest = i.source_type == kF64 || i.type >= kU64;
      return lowest ? to_integer(static_cast<__int128>(1) << (widths[i.type] - 1), i.type, false) : 0;
    }
    f64 whole = round_to_integer(value, mode);
    __int128 integer = whole > 1e30    ? static_cast<__int128>(1) << 100
                       : whole < -1e30 ? -(static_cast<__int128>(1) << 100)
                                       : static_cast<__int128>(whole);
    return to_integer(integer, i.type, true);
  }
  if (i.flags & kInteger) value = round_to_integer(value, mode);
  if (i.type == kF64) return bits<u64>(sat ? saturate(value) : value);
  if (i.type == kF32) {
    f32 r = canonical(i.flags & kInteger ? static_cast<f32>(value) : narrow(value, mode));
    if (i.flags & kFtz) r = ftz(r);
    return bits<u32>(sat ? saturate(r) : r);
  }
  u16 h = narrow_half(value, i.flags & kInteger ? static_cast<s32>(kNearest) : mode, i.type == kBF16);
  if (i.flags & kRelu) h = value > 0 ? h : 0;
  if (i.flags & kSatFinite) h = finite_half(h, i.type == kBF16 ? 0x7f80 : 0x7c00);
  if (!sat) return h;
  return i.type == kBF16 ? to_bf16(saturate(from_bf16(h))) : saturate_f16(h);
}
