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
      result += static_cast<u32>(t);  // with all its bits, not those of a field
    } else {
      result = (result & ~keep) | (static_cast<u32>(t) << (k * width) & keep);
    }
  }
  return result;
}

// Scalar forms. No GPU since Volta has them: ptxas 13.0 makes them of other instructions, not always as the ISA
// says, and an H200 gives what that makes. Ours is the same, so that results agree; what deviates is marked (!).

// .sat, of a result of 64 bits; `width` is that of the part written.
inline s64 video_saturate(s64 t, int width, const Instruction& i) {
  bool is_signed = i.flags & kVideoSignedD;
  switch (i.mode) {
    case kVideoShiftLeft:
    case kVideoShiftRight:  // (!) of 34 bits, and to a word, whatever part is written
      return video_clamp(video_field(static_cast<u64>(t), 0, 34, true), 32, is_signed);
    case kVideoMad: return video_clamp(t, 32, is_signed);
    default: break;
  }
  if (width == 32) return is_signed ? video_clamp(t, 32, true) : t < 0 ? 0 : t;  // (!) u32 does not stop at the top
  u64 top = (u64{1} << (width - is_signed)) - 1;
  return static_cast<s64>(std::min(static_cast<u64>(t), top));  // (!) negative numbers are large ones
}

// (!) Words are signed, whatever their types; only the shift and .sat know of unsigned ones.
inline s64 video_multiply_add(s64 a, s64 b, u32 z, const Instruction& i) {
  s64 product = static_cast<s64>(static_cast<s32>(a)) * static_cast<s32>(b), c = static_cast<s32>(z);
  if (i.flags & kNegateProduct) product = -product;
  if (i.flags & kNegateC) c = -c;
  s64 sum = product + c + ((i.flags & kPlusOne) ? 1 : 0);
  return (i.flags & kVideoSignedD) ? sum >> i.source_type  // .shr7, .shr15
                                   : static_cast<s64>(static_cast<u64>(sum) >> i.source_type);
}

// One word; i.values: first bit and width of a, of b (eight bits each), of d.
inline u32 video_scalar(u32 x, u32 y, u32 z, const Instruction& i) {
  s64 a = video_field(x, i.values[0] & 63, i.values[0] >> 8, i.flags & kVideoSignedA);
  s64 b = video_field(y, i.values[1] & 63, i.values[1] >> 8, i.flags & kVideoSignedB);
  int at = i.values[2] & 63, width = i.values[2] >> 8;
  s64 t = i.mode == kVideoMad ? video_multiply_add(a, b, z, i) : video_operation(a, b, i);
  if (i.flags & kClampResult) t = video_saturate(t, width, i);
  u32 word = static_cast<u32>(t), keep = width == 32 ? kAllLanes : ((1u << width) - 1) << at;
  bool is_signed = i.flags & kVideoSignedD;
  bool less = is_signed ? static_cast<s32>(word) < static_cast<s32>(z) : word < z && !(word >> 31);
  switch (i.vector) {
    case kMerge: return (z & ~keep) | ((at == 16 && width == 16 ? word : word << at) & keep);  // (!) .h1 from .h1
    case kAccumulate: return word + z;
    case kSecondMin: return less ? word : z;  // (!) a u32 from 2^31 on is above any other
    case kSecondMax: return less ? z : word;
    default: return word;
  }
}
