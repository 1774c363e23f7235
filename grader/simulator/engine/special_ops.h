// Operations over lanes that do not fit the table of ops.inc.
#pragma once
#include <type_traits>

#include "compare.h"
#include "narrow.h"
#include "video.h"

// add, sub and mad with a carry: i.mode is the operation, i.flags 1 takes a carry in, 2 leaves one, i.e holds
// it. A subtraction adds the complement and 1, so that its flag is set where nothing was borrowed. The PTX ISA
// writes d = a - (b + CC.CF), which is the same as long as an addition's flag does not go into a subtraction;
// where it does, an H200 shows the complement.
enum CarryOperation : s32 { kCarryAdd = 0, kCarrySub, kCarryMadLo, kCarryMadHi };
enum CarryFlag : s32 { kCarryIn = 1, kCarryOut = 2, kCarrySigned = 4 };

template <class T>
inline void carry(char* frame, u32 mask, const Instruction& i) {
  using Wide = unsigned __int128;
  using Signed = std::make_signed_t<T>;
  u32& flag = predicate(frame, i.e);
  u32 out = flag;
  each_active(mask, [&](int l) {
    T x = lanes<T>(frame, i.a)[l], y = lanes<T>(frame, i.b)[l];
    Wide in = (i.flags & kCarryIn) ? flag >> l & 1 : i.mode == kCarrySub, sum;
    if (i.mode == kCarrySub) {
      sum = Wide(x) + static_cast<T>(~y) + in;
    } else if (i.mode == kCarryAdd) {
      sum = Wide(x) + y + in;
    } else {
      Wide product =
          (i.flags & kCarrySigned)
              ? static_cast<Wide>(static_cast<__int128>(static_cast<Signed>(x)) * static_cast<Signed>(y))
              : Wide(x) * y;
      T part = static_cast<T>(i.mode == kCarryMadHi ? product >> (8 * sizeof(T)) : product);
      sum = Wide(part) + lanes<T>(frame, i.c)[l] + in;
    }
    lanes<T>(frame, i.d)[l] = static_cast<T>(sum);
    u32 bit = static_cast<u32>(sum >> (8 * sizeof(T))) & 1;
    out = (out & ~(1u << l)) | bit << l;
  });
  if (i.flags & kCarryOut) flag = out;
}

inline void set_comparison(char* frame, u32 mask, const Instruction& i) {
  u32 combined = compare(frame, i);
  s32 boolean = i.vector & 3;
  u32 other = boolean ? predicate(frame, i.c) ^ (i.vector & 4 ? kAllLanes : 0u) : 0;
  u32 inverse = combine(boolean, ~combined, other);
  combined = combine(boolean, combined, other);
  if (i.d >= 0) set_predicate(frame, i.d, mask, combined);
  if (i.e >= 0) set_predicate(frame, i.e, mask, inverse);
}

// `set` writes a register: all ones or 1.0 where true, else 0. i.type is the type of the result.
inline void set_register(char* frame, u32 mask, const Instruction& i) {
  u32 combined = compare(frame, i);
  if (i.vector & 3)
    combined = combine(i.vector & 3, combined, predicate(frame, i.c) ^ (i.vector & 4 ? kAllLanes : 0u));
  u32 truth = i.type == kF32    ? 0x3f800000u
              : i.type == kF16  ? 0x3c00u
              : i.type == kBF16 ? 0x3f80u
              : i.type <= kS16  ? 0xffffu
                                : kAllLanes;
  each_active(mask, [&](int l) { lanes<u32>(frame, i.d)[l] = (combined >> l & 1) ? truth : 0; });
}

// The packed form: i.source_type and i.type are those of one half.
inline void set_register2(char* frame, u32 mask, const Instruction& i, bool predicates) {
  alignas(64) char halves[8 * 128];
  Instruction low = i;
  u32 result[2];
  for (int k = 0; k < 2; k++) {
    EACH_LANE {
      lanes<u32>(halves, 0)[l] = lanes<u32>(frame, i.a)[l] >> (16 * k) & 0xffff;
      lanes<u32>(halves, 128)[l] = lanes<u32>(frame, i.b)[l] >> (16 * k) & 0xffff;
    }
    low.a = 0, low.b = 128;
    result[k] = compare(halves, low);
    if (i.vector & 3) result[k] = combine(i.vector & 3, result[k], read_predicate(frame, i.c, i.vector & 4));
  }
  if (predicates) {
    if (i.d >= 0) set_predicate(frame, i.d, mask, result[0]);
    if (i.e >= 0) set_predicate(frame, i.e, mask, result[1]);
    return;
  }
  u32 truth = i.type == kF16 ? 0x3c00u : i.type == kBF16 ? 0x3f80u : 0xffffu;
  each_active(mask, [&](int l) {
    lanes<u32>(frame, i.d)[l] = ((result[0] >> l & 1) ? truth : 0) | ((result[1] >> l & 1) ? truth << 16 : 0);
  });
}

template <class T>
inline void select(char* frame, u32 mask, const Instruction& i) {
  T* d = lanes<T>(frame, i.d);
  const T* a = lanes<T>(frame, i.a);
  const T* b = lanes<T>(frame, i.b);
  u32 p = predicate(frame, i.c);
  if (mask == kAllLanes) {
    EACH_LANE d[l] = (p >> l & 1) ? a[l] : b[l];
  } else {
    EACH_LANE d[l] = (mask >> l & 1) ? ((p >> l & 1) ? a[l] : b[l]) : d[l];
  }
}

// Splits i.a into the registers of i.values, lowest part first.
inline void unpack(char* frame, u32 mask, const Instruction& i) {
  int width = 8 * i.bytes / i.vector;
  u64 value[kLanes];
  if (i.bytes == 8) {
    EACH_LANE value[l] = lanes<u64>(frame, i.a)[l];
  } else {
    EACH_LANE value[l] = lanes<u32>(frame, i.a)[l];
  }
  u32 keep = width == 32 ? kAllLanes : (1u << width) - 1;
  for (int v = 0; v < i.vector; v++) {
    if (i.values[v] < 0) continue;
    u32* d = lanes<u32>(frame, i.values[v]);
    EACH_LANE d[l] = (mask >> l & 1) ? static_cast<u32>(value[l] >> (v * width)) & keep : d[l];
  }
}

// Four registers as one of i.bytes bytes, the first in the lowest part.
inline void pack4(char* frame, u32 mask, const Instruction& i) {
  int width = 2 * i.bytes;
  each_active(mask, [&](int l) {
    u64 value = 0;
    for (int v = 0; v < 4; v++)
      value |= static_cast<u64>(lanes<u32>(frame, i.values[v])[l] & ((1u << width) - 1)) << (width * v);
    if (i.bytes == 8) {
      lanes<u64>(frame, i.d)[l] = value;
    } else {
      lanes<u32>(frame, i.d)[l] = static_cast<u32>(value);
    }
  });
}

inline u32 test_property(char* frame, u32 mask, const Instruction& i) {
  u32 result = 0;
  each_active(mask, [&](int l) {
    f64 x = i.source_type == kF64 ? lanes<f64>(frame, i.a)[l] : lanes<f32>(frame, i.a)[l];
    bool normal =
        x == 0 || (i.source_type == kF64 ? std::isnormal(x) : std::isnormal(lanes<f32>(frame, i.a)[l]));
    bool is[] = {std::isfinite(x), std::isinf(x), x == x, x != x, normal, std::isfinite(x) && !normal};
    result |= static_cast<u32>(is[i.mode]) << l;
  });
  return result;
}

// A parameter of the kernel: the same bytes for every lane.
inline void load_parameter(const Launch& launch, char* frame, u32 mask, const Instruction& i) {
  const u8* from = launch.request->params + i.immediate;
  for (int v = 0; v < i.vector; v++, from += i.bytes) {
    u64 value = 0;
    memcpy(&value, from, i.bytes);
    if (i.flags & kSignExtend)
      value = static_cast<u64>(static_cast<s64>(value << (64 - 8 * i.bytes)) >> (64 - 8 * i.bytes));
    if (i.values[v] < 0) continue;
    if (i.flags & kWideRegister) {
      u64* d = lanes<u64>(frame, i.values[v]);
      EACH_LANE d[l] = (mask >> l & 1) ? value : d[l];
    } else {
      u32* d = lanes<u32>(frame, i.values[v]);
      EACH_LANE d[l] = (mask >> l & 1) ? static_cast<u32>(value) : d[l];
    }
  }
}

// i.mode: 0 %clock, 1 %clock64, 2 %clock_hi, 3 %globaltimer, 4 and 5 its halves. The clock of the device counts four
// cycles for a warp instruction, as an addition takes on a GPU, and two for a nanosecond of sleep.
inline void read_clock(char* frame, u32 mask, const Instruction& i, s64 cycles) {
  const u64 now = static_cast<u64>(i.mode < 3 ? cycles : cycles / 2);
  if (i.mode == 1 || i.mode == 3) {
    each_active(mask, [&](int l) { lanes<u64>(frame, i.d)[l] = now; });
  } else {
    const u32 half = static_cast<u32>(i.mode == 2 || i.mode == 5 ? now >> 32 : now);
    each_active(mask, [&](int l) { lanes<u32>(frame, i.d)[l] = half; });
  }
}
