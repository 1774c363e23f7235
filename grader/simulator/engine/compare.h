// Comparisons of all types, as a mask of lanes.
#pragma once
#include "convert.h"

// Numbers of Instruction::mode for setp and set, the same as in decode/types.py. The unordered ones are
// true where an operand is a NaN.
enum Comparison : s32 {
  kEq = 0,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};

template <class A, class F>
inline u32 compare_lanes(char* frame, const Instruction& i, F test) {
  const Lane<A>* a = lanes<A>(frame, i.a);
  const Lane<A>* b = lanes<A>(frame, i.b);
  u32 result = 0;
  for (int l = 0; l < kLanes; l++) result |= test(static_cast<A>(a[l]), static_cast<A>(b[l])) ? 1u << l : 0u;
  return result;
}

template <class A>
inline u32 compare_integers(char* frame, const Instruction& i) {
  switch (i.mode) {
    case kEq: return compare_lanes<A>(frame, i, [](A x, A y) { return x == y; });
    case kNe: return compare_lanes<A>(frame, i, [](A x, A y) { return x != y; });
    case kLt: return compare_lanes<A>(frame, i, [](A x, A y) { return x < y; });
    case kLe: return compare_lanes<A>(frame, i, [](A x, A y) { return x <= y; });
    case kGt: return compare_lanes<A>(frame, i, [](A x, A y) { return x > y; });
    default: return compare_lanes<A>(frame, i, [](A x, A y) { return x >= y; });
  }
}

// W widens the stored bits to a float that compares the same.
template <class A, class W>
inline u32 compare_floats(char* frame, const Instruction& i, W widen) {
#define COMPARE(test)                                   \
  return compare_lanes<A>(frame, i, [widen](A p, A q) { \
    auto x = widen(p), y = widen(q);                    \
    return test;                                        \
  })
  switch (i.mode) {
    case kEq: COMPARE(x == y);
    case kNe: COMPARE((x < y) || (x > y));
    case kLt: COMPARE(x < y);
    case kLe: COMPARE(x <= y);
    case kGt: COMPARE(x > y);
    case kGe: COMPARE(x >= y);
    case kEqu: COMPARE(!((x < y) || (x > y)));
    case kNeu: COMPARE(x != y);
    case kLtu: COMPARE(!(x >= y));
    case kLeu: COMPARE(!(x > y));
    case kGtu: COMPARE(!(x <= y));
    case kGeu: COMPARE(!(x < y));
    case kNum: COMPARE((x == x) && (y == y));
    default: COMPARE((x != x) || (y != y));
  }
#undef COMPARE
}

// The lanes where the comparison of i.a and i.b, as i.source_type, is true.
inline u32 compare(char* frame, const Instruction& i) {
  switch (i.source_type) {
    case kU16: return compare_integers<u16>(frame, i);
    case kS16: return compare_integers<s16>(frame, i);
    case kU32: return compare_integers<u32>(frame, i);
    case kS32: return compare_integers<s32>(frame, i);
    case kU64: return compare_integers<u64>(frame, i);
    case kS64: return compare_integers<s64>(frame, i);
    case kF16:
      if (i.flags & kFtz) return compare_floats<u16>(frame, i, [](u16 x) { return from_f16(ftz_f16(x)); });
      return compare_floats<u16>(frame, i, [](u16 x) { return from_f16(x); });
    case kBF16: return compare_floats<u16>(frame, i, [](u16 x) { return from_bf16(x); });
    case kF32:
      if (i.flags & kFtz) return compare_floats<f32>(frame, i, [](f32 x) { return ftz(x); });
      return compare_floats<f32>(frame, i, [](f32 x) { return x; });
    default: return compare_floats<f64>(frame, i, [](f64 x) { return x; });
  }
}

enum Boolean : s32 { kNone = 0, kAnd, kOr, kXor };

inline u32 combine(s32 boolean, u32 x, u32 y) {
  switch (boolean) {
    case kAnd: return x & y;
    case kOr: return x | y;
    case kXor: return x ^ y;
    default: return x;
  }
}
