// Helpers of the operations in ops.inc: corner cases of integer arithmetic, bit fields, bytes.
#pragma once
#include <algorithm>

#include "lanes.h"

inline s32 clamp_s32(s64 x) {
  return x > INT32_MAX ? INT32_MAX : (x < INT32_MIN ? INT32_MIN : static_cast<s32>(x));
}
inline s64 low24(s32 x) { return static_cast<s32>(static_cast<u32>(x) << 8) >> 8; }

// Division by zero gives all ones (the remainder too), and the smallest number by -1 itself, as on the
// hardware.
template <class T>
inline T divide(T x, T y) {
  if (y == 0) return static_cast<T>(-1);
  if (static_cast<T>(-1) < 0 && y == static_cast<T>(-1)) return static_cast<T>(0 - static_cast<u64>(x));
  return x / y;
}
template <class T>
inline T remainder_of(T x, T y) {
  if (y == 0) return static_cast<T>(-1);
  if (static_cast<T>(-1) < 0 && y == static_cast<T>(-1)) return 0;
  return x % y;
}

inline u64 funnel(u32 low, u32 high, u32 shift) {
  return shift == 32 ? static_cast<u64>(low) << 32 : (static_cast<u64>(high) << 32 | low) << shift;
}
inline u32 reverse32(u32 x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
inline u32 highest_bit(u64 x, int width, s32 shift_amount) {
  if (!x) return 0xffffffffu;
  int bit = 63 - __builtin_clzll(x);
  return shift_amount ? width - 1 - bit : bit;
}
template <class T>
inline T extract(T x, u32 position, u32 length, u32 width, bool is_signed) {
  position &= 0xff;
  length &= 0xff;
  u32 top = position + length - 1;
  bool sign = is_signed && length && (x >> (top < width ? top : width - 1) & 1);
  T value = position < width ? x >> position : 0;
  if (length >= width) {  // every bit of the value is kept; those above the source take the sign
    u32 kept = position < width ? width - position : 0;
    return sign && kept < width ? value | ~T(0) << kept : value;
  }
  T mask = (T(1) << length) - 1;
  if (position + length > width) {  // bits above the source take the sign
    u32 kept = position < width ? width - position : 0;
    if (sign) value |= kept < width ? ~T(0) << kept : 0;
  }
  return sign ? value | ~mask : value & mask;
}
template <class T>
inline T insert(T field, T into, u32 position, u32 length, u32 width) {
  position &= 0xff;
  length &= 0xff;
  if (!length || position >= width) return into;
  T mask = (length >= width ? ~T(0) : (T(1) << length) - 1) << position;
  return (into & ~mask) | (field << position & mask);
}
inline u32 permute(u32 x, u32 y, u32 selector) {
  u64 bytes = static_cast<u64>(y) << 32 | x;
  u32 result = 0;
  for (int k = 0; k < 4; k++) {
    u32 pick = selector >> (4 * k) & 15;
    u8 byte = bytes >> (8 * (pick & 7));
    if (pick & 8) byte = byte & 0x80 ? 0xff : 0;  // the sign of the byte, eight times
    result |= static_cast<u32>(byte) << (8 * k);
  }
  return result;
}
// The other modes: mode 1 to 6 is .f4e, .b4e, .rc8, .ecl, .ecr, .rc16.
inline u32 permute_mode(u32 x, u32 y, u32 selector, s32 mode) {
  u64 bytes = static_cast<u64>(y) << 32 | x;
  u32 result = 0, from = selector & 3;
  for (u32 k = 0; k < 4; k++) {
    u32 picks[] = {from + k, (from - k) & 7, from, std::max(from, k), std::min(from, k), (from & 1) * 2 + (k & 1)};
    result |= static_cast<u32>(static_cast<u8>(bytes >> (8 * picks[mode - 1]))) << (8 * k);
  }
  return result;
}
// i.flags: 1 .clamp, 2 signed. The lowest y bits of x, extended.
inline u32 extend_field(u32 x, u32 y, s32 flags) {
  u32 width = y & 31;
  if (y >= 32 && (flags & 1)) return x;
  u32 upper = ~0u << width;
  bool sign = width && (flags & 2) && (x >> (width - 1) & 1);
  return sign ? x | upper : x & ~upper;
}
inline u32 bit_mask(u32 position, u32 width, bool clamp) {
  u32 from = position & 31, count = width & 31;
  if (clamp && position >= 32) return 0;
  u32 lower = ~0u << from;
  if (from + count >= 32 || (clamp && width >= 32)) return lower;
  return lower & ~(~0u << (from + count));
}
// fns: the place of the n-th bit of x that is set, counted from bit `base` up (n > 0) or down (n < 0).
inline u32 find_nth_bit(u32 x, u32 base, s32 n) {
  if (n == 0) return base < 32 && (x >> base & 1) ? base : ~0u;
  s64 left = n < 0 ? -static_cast<s64>(n) : n;
  for (s64 at = base; at >= 0 && at < 32; at += n < 0 ? -1 : 1) {
    if ((x >> at & 1) && --left == 0) return static_cast<u32>(at);
  }
  return ~0u;
}
inline u32 lookup3(u32 x, u32 y, u32 z, u32 table) {
  u32 result = 0;
  for (int k = 0; k < 8; k++) {
    if (table >> k & 1) result |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
  }
  return result;
}
// With a predicate: whether the result is not 0, combined with another one. i.mode: 1 or, 0 and.
inline u32 lookup3_test(u32 x, u32 y, u32 z, char* frame, int l, const Instruction& i) {
  u32 result = lookup3(x, y, z, static_cast<u32>(i.immediate)), other = predicate(frame, i.values[0]) >> l & 1;
  other ^= static_cast<u32>(i.flags & 1);
  u32 truth = i.mode ? (result != 0) | other : (result != 0) & other;
  set_predicate(frame, i.e, 1u << l, truth << l);
  return result;
}
inline u32 dot4(u32 x, u32 y, u32 sum, s32 flags) {  // flags: 1 the first operand is signed, 2 the second
  for (int k = 0; k < 4; k++) {
    s32 p = flags & 1 ? static_cast<s8>(x >> 8 * k) : static_cast<s32>(static_cast<u8>(x >> 8 * k));
    s32 q = flags & 2 ? static_cast<s8>(y >> 8 * k) : static_cast<s32>(static_cast<u8>(y >> 8 * k));
    sum += static_cast<u32>(p * q);
  }
  return sum;
}

// Two 16-bit numbers with two of the four bytes: flags 4 takes the high two.
inline u32 dot2(u32 x, u32 y, u32 sum, s32 flags) {
  if (flags & 4) y >>= 16;
  for (int k = 0; k < 2; k++) {
    s32 p = flags & 1 ? static_cast<s16>(x >> 16 * k) : static_cast<s32>(static_cast<u16>(x >> 16 * k));
    s32 q = flags & 2 ? static_cast<s8>(y >> 8 * k) : static_cast<s32>(static_cast<u8>(y >> 8 * k));
    sum += static_cast<u32>(p * q);
  }
  return sum;
}
