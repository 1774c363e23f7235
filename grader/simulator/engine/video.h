// The video instructions: arithmetic on bytes, half-words or words with selected operands and, at the end, a
// second operation with a third operand (PTX ISA 9.0, "Scalar Video Instructions", "SIMD Video Instructions").
#pragma once
#include "convert.h"

// Instruction::mode, the same as in decode/video.py.
enum VideoOperation : s32 {
  kVideoAdd = 0,
  kVideoSub,
  kVideoDifference,
  kVideoMin,
  kVideoMax,
  kVideoAverage,
  kVideoSet,
  kVideoShiftLeft,
  kVideoShiftRight,
  kVideoMad,
};
enum VideoFlag : s32 {
  kVideoSignedA = 1,
  kVideoSignedB = 2,
  kVideoSignedD = 4,
  kClampResult = 8,
  kWrapShift = 16,
  kPlusOne = 32,
  kNegateProduct = 64,
  kNegateC = 128,
};
// Instruction::vector: what happens with the third operand.
enum VideoSecond : s32 { kNothing = 0, kMerge, kAccumulate, kSecondMin, kSecondMax };

inline s64 video_field(u64 bits, int at, int width, bool is_signed) {
  u64 value = bits >> at << (64 - width);
  return is_signed ? static_cast<s64>(value) >> (64 - width) : static_cast<s64>(value >> (64 - width));
}
inline s64 video_clamp(s64 x, int width, bool is_signed) {
  s64 high = is_signed ? (s64{1} << (width - 1)) - 1 : (s64{1} << width) - 1, low = is_signed ? -high - 1 : 0;
  return x > high ? high : x < low ? low : x;
}

inline s64 video_operation(s64 a, s64 b, const Instruction& i) {
  switch (i.mode) {
    case kVideoAdd: return a + b;
    case kVideoSub: return a - b;
    case kVideoDifference: return a > b ? a - b : b - a;
    case kVideoMin: return a < b ? a : b;
    case kVideoMax: return a > b ? a : b;
    case kVideoAverage: return (a + b + (a + b >= 0)) >> 1;
    case kVideoSet: {
      bool truth[] = {a == b, a != b, a < b, a <= b, a > b, a >= b};
      return truth[i.source_type];  // a Comparison
    }
    default: {
      s64 amount = (i.flags & kWrapShift) ? b & 31 : b > 32 ? 32 : b;
      return i.mode == kVideoShiftLeft ? static_cast<s64>(static_cast<u64>(a) << amount) : a >> amount;
    }
  }
}

// i.bytes: the width of a field in bits. i.values: the first bit of each field's source, eight bits a field, in
// the 64 bits of both operands (SIMD) or in its own (scalar); the widths of those; the fields written.
inline u32 video(u32 x, u32 y, u32 z, const Instruction& i) {
  int width = i.bytes, fields = i.type;
  u64 sources = static_cast<u64>(y) << 32 | x;
  u32 result = i.vector == kMerge || i.vector == kAccumulate ? z : 0;
  for (int k = 0; k < fields; k++) {
    s64 a = video_field(sources, i.values[0] >> (8 * k) & 63, width, i.flags & kVideoSignedA);
    s64 b = video_field(sources, i.values[1] >> (8 * k) & 63, width, i.flags & kVideoSignedB);
    if (!(i.values[3] >> k & 1)) continue;
    s64 t = video_operation(a, b, i);
    if (i.flags & kClampResult) t = video_clamp(t, width, i.flags & kVideoSignedD);
    u32 keep = ((1u << width) - 1) << (k * width);
    if (i.vector == kAccumulate) {
      result += static_cast<u32>(video_field(static_cast<u64>(t), 0, width, i.flags & kVideoSignedD));
    } else {
      result = (result & ~keep) | (static_cast<u32>(t) << (k * width) & keep);
    }
  }
  return result;
}

// One word; i.values: first bit and width of a, of b (eight bits each), of d.
inline u32 video_scalar(u32 x, u32 y, u32 z, const Instruction& i) {
  s64 a = video_field(x, i.values[0] & 63, i.values[0] >> 8, i.flags & kVideoSignedA);
  s64 b = video_field(y, i.values[1] & 63, i.values[1] >> 8, i.flags & kVideoSignedB);
  int at = i.values[2] & 63, width = i.values[2] >> 8;
  s64 t;
  if (i.mode == kVideoMad) {
    __int128 product = static_cast<__int128>(a) * b;
    __int128 c = i.flags & kVideoSignedD ? static_cast<__int128>(static_cast<s32>(z)) : static_cast<__int128>(z);
    if (i.flags & kNegateProduct) product = -product;
    if (i.flags & kNegateC) c = -c;
    __int128 sum = (product + c + ((i.flags & kPlusOne) ? 1 : 0)) >> i.source_type;  // .shr7, .shr15
    t = static_cast<s64>(sum);
    if (i.flags & kClampResult) t = video_clamp(t, 32, i.flags & kVideoSignedD);
    return static_cast<u32>(t);
  }
  t = video_operation(a, b, i);
  if (i.flags & kClampResult) t = video_clamp(t, width, i.flags & kVideoSignedD);
  u32 word = static_cast<u32>(t), keep = width == 32 ? kAllLanes : ((1u << width) - 1) << at;
  bool is_signed = i.flags & kVideoSignedD;
  switch (i.vector) {
    case kMerge: return (z & ~keep) | (word << at & keep);
    case kAccumulate: return word + z;
    case kSecondMin: return is_signed ? std::min<s32>(word, z) : std::min(word, z);
    case kSecondMax: return is_signed ? std::max<s32>(word, z) : std::max(word, z);
    default: return word;
  }
}
