// Conversions to and from formats below 16 bits, tf32, and packed integers.
#pragma once
#include "convert.h"

// A binary format of at most 16 bits.
struct SmallFormat {
  int exponent_bits, fraction_bits;
  bool infinities;  // else the highest exponent holds numbers too, and only all ones is none
};
constexpr SmallFormat kE4M3 = {4, 3, false}, kE5M2 = {5, 2, true};

inline u32 largest(const SmallFormat& f) {  // the bits of the largest finite number
  u32 top = ((1u << f.exponent_bits) - 1) << f.fraction_bits;
  return f.infinities ? top - 1 : top + (1u << f.fraction_bits) - 2;
}

// To nearest even; what is too large becomes the largest number (.satfinite), what is no number 0x7f.
inline u32 to_small(f64 x, const SmallFormat& f, bool relu) {
  if (x != x) return 0x7f;
  u32 sign = bits<u64>(x) >> 63 ? 0x80u : 0u;
  if (relu && sign) return 0;
  f64 magnitude = std::fabs(x);
  if (magnitude > 1e6) return sign | largest(f);
  int bias = (1 << (f.exponent_bits - 1)) - 1, exponent = -bias + 1;  // of subnormal numbers, too
  if (magnitude >= std::ldexp(1.0, exponent)) exponent = static_cast<int>(bits<u64>(magnitude) >> 52) - 1023;
  f64 units = __builtin_rint(std::ldexp(magnitude, f.fraction_bits - exponent));
  u32 result = static_cast<u32>(units) + (static_cast<u32>(exponent + bias - 1) << f.fraction_bits);
  return sign | (result > largest(f) ? largest(f) : result);
}
inline u16 from_small(u32 x, const SmallFormat& f, bool relu) {  // as f16, which holds every value
  u32 sign = (x & 0x80) << 8, rest = x & 0x7f;
  if (f.infinities ? rest > 0x7c : rest == 0x7f) return 0x7fff;
  if (relu && sign) return 0;
  if (f.infinities) return static_cast<u16>(sign | rest << 8);
  int exponent = rest >> 3 ? static_cast<int>(rest >> 3) : 1;
  f64 value = std::ldexp(static_cast<f64>((rest & 7) + (rest >> 3 ? 8 : 0)), exponent - 10);
  return static_cast<u16>(sign | to_f16(static_cast<f32>(value)));
}

// Two at once: i.mode 1 is e5m2, else e4m3. The first operand goes to the upper byte.
inline u16 pack_small(f64 high, f64 low, const Instruction& i) {
  const SmallFormat& f = i.mode ? kE5M2 : kE4M3;
  bool relu = i.flags & kRelu;
  return static_cast<u16>(to_small(high, f, relu) << 8 | to_small(low, f, relu));
}
inline u32 unpack_small(u16 x, const Instruction& i) {
  const SmallFormat& f = i.mode ? kE5M2 : kE4M3;
  bool relu = i.flags & kRelu;
  return both(from_small(x & 0xff, f, relu), from_small(x >> 8, f, relu));
}

// tf32: an f32 with 10 bits of fraction. i.mode: 0 to nearest even, 1 toward zero, 2 to nearest, ties away.
// An H200 does not give the canonical NaN of the PTX ISA: .rn and .rz give 0x7fffe000, and .rna works on the bits. It
// cuts off a NaN, so that a small payload leaves an infinity; .satfinite subtracts one unit from that exponent.
inline u32 to_tf32(f32 x, const Instruction& i) {
  constexpr u32 kInfinity = 0x7f800000u, kUnit = 0x2000u, kKept = ~(kUnit - 1);
  u32 sign = bits<u32>(x) & 0x80000000u, rest = bits<u32>(x) ^ sign;
  bool ties_away = i.mode == 2;
  if (x != x && !ties_away) return 0x7fffffffu & kKept;
  if ((i.flags & kRelu) && sign) return 0;
  if (rest < kInfinity && i.mode != 1) rest += ties_away ? kUnit / 2 : kUnit / 2 - 1 + (rest / kUnit & 1);
  rest &= kKept;
  return sign | (rest >= kInfinity && (i.flags & kSatFinite) ? rest - kUnit : rest);
}

// cvt.pack: the low bits of z move up by two fields of i.bytes bits, below them x and y, clamped to i.type.
inline u32 pack_integers(s32 x, s32 y, u32 z, const Instruction& i) {
  int width = i.bytes;
  bool is_signed = i.flags & kSigned;
  s64 top = is_signed ? (s64{1} << (width - 1)) - 1 : (s64{1} << width) - 1, bottom = is_signed ? -top - 1 : 0;
  auto field = [&](s32 v) {
    return static_cast<u32>(v > top ? top : v < bottom ? bottom : v) & ((1u << width) - 1);
  };
  return (width == 16 ? 0 : z << (2 * width)) | field(x) << width | field(y);
}
