// Loops over the 32 lanes of a warp. A lane whose mask bit is clear keeps its old value.
#pragma once
#include "state.h"

#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < kLanes; l++)

// Values of 8 and 16 bits live in lanes of 4 bytes; reading one truncates, writing one extends.
template <class T>
struct LaneOf {
  using type = T;
};
template <>
struct LaneOf<u8> {
  using type = u32;
};
template <>
struct LaneOf<s8> {
  using type = s32;
};
template <>
struct LaneOf<u16> {
  using type = u32;
};
template <>
struct LaneOf<s16> {
  using type = s32;
};
template <class T>
using Lane = typename LaneOf<T>::type;

template <class T>
inline Lane<T>* lanes(char* frame, s32 slot) {
  return reinterpret_cast<Lane<T>*>(frame + slot);
}

inline u32& predicate(char* frame, s32 slot) { return *reinterpret_cast<u32*>(frame + slot); }

template <class D, class A, class F>
inline __attribute__((always_inline)) void unary(char* frame, u32 mask, const Instruction& i, F f) {
  Lane<D>* d = lanes<D>(frame, i.d);
  const Lane<A>* a = lanes<A>(frame, i.a);
  if (mask == kAllLanes) {
    EACH_LANE d[l] = f(static_cast<A>(a[l]));
  } else {
    EACH_LANE d[l] = (mask >> l & 1) ? static_cast<Lane<D>>(f(static_cast<A>(a[l]))) : d[l];
  }
}

template <class D, class A, class B, class F>
inline __attribute__((always_inline)) void binary(char* frame, u32 mask, const Instruction& i, F f) {
  Lane<D>* d = lanes<D>(frame, i.d);
  const Lane<A>* a = lanes<A>(frame, i.a);
  const Lane<B>* b = lanes<B>(frame, i.b);
  if (mask == kAllLanes) {
    EACH_LANE d[l] = f(static_cast<A>(a[l]), static_cast<B>(b[l]));
  } else {
    EACH_LANE d[l] =
        (mask >> l & 1) ? static_cast<Lane<D>>(f(static_cast<A>(a[l]), static_cast<B>(b[l]))) : d[l];
  }
}

template <class D, class A, class B, class C, class F>
inline __attribute__((always_inline)) void ternary(char* frame, u32 mask, const Instruction& i, F f) {
  Lane<D>* d = lanes<D>(frame, i.d);
  const Lane<A>* a = lanes<A>(frame, i.a);
  const Lane<B>* b = lanes<B>(frame, i.b);
  const Lane<C>* c = lanes<C>(frame, i.c);
  if (mask == kAllLanes) {
    EACH_LANE d[l] = f(static_cast<A>(a[l]), static_cast<B>(b[l]), static_cast<C>(c[l]));
  } else {
    EACH_LANE d[l] =
        (mask >> l & 1)
            ? static_cast<Lane<D>>(f(static_cast<A>(a[l]), static_cast<B>(b[l]), static_cast<C>(c[l])))
            : d[l];
  }
}

// The rare operations: one active lane after the other, small code instead of vector code.
template <class F>
inline void each_active(u32 mask, F f) {
  for (; mask; mask &= mask - 1) f(first_lane(mask));
}

// A predicate that is read, or its complement.
inline u32 read_predicate(char* frame, s32 slot, bool negated) {
  return negated ? ~predicate(frame, slot) : predicate(frame, slot);
}

// The operands of an operation on predicates: bits of `flags` negate them.
inline u32 first_predicate(char* frame, const Instruction& i) { return read_predicate(frame, i.a, i.flags & 1); }
inline u32 second_predicate(char* frame, const Instruction& i) { return read_predicate(frame, i.b, i.flags & 2); }

inline void set_predicate(char* frame, s32 slot, u32 mask, u32 value) {
  u32& p = predicate(frame, slot);
  p = (p & ~mask) | (value & mask);
}
