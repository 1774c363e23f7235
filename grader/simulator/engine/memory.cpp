// Loads, stores and atomics: where an address points, whether it may be touched, and what it costs.
#include <algorithm>

#include "convert.h"

namespace {

enum MemoryFlag : s32 { kSignExtend = 1, kWideRegister = 2, kMemoryCounted = 4 };

// The allocation that holds [low, high), or -1. Allocations are sorted by address; `hint` is tried first.
s32 find_allocation(const LaunchRequest& request, u64 low, u64 high, s32& hint) {
  const Allocation* all = request.allocations;
  if (high <= low) return -1;  // past the last address
  if (hint >= 0 && low >= all[hint].base && high <= all[hint].base + all[hint].bytes) return hint;
  const Allocation* end = all + request.allocation_count;
  const Allocation* after = std::upper_bound(all, end, low, [](u64 x, const Allocation& a) { return x < a.base; });
  if (after == all) return -1;
  const Allocation& candidate = after[-1];
  if (high > candidate.base + candidate.bytes) return -1;
  return hint = static_cast<s32>(&candidate - all);
}

void fail_global(Launch& launch, const Warp& warp, const Instruction& i, u64 address, int bytes, int lane) {
  FaultKind kind = address < kNullLimit ? kNullPointer : kOutOfBounds;
  fail(launch, kind, i, warp, lane, address, bytes, kGlobal);
}

// Whether the allocation may be touched so; records a fault where not.
bool permitted(Launch& launch, const Warp& warp, const Instruction& i, s32 allocation, bool write, u64 address, int bytes, int lane) {
  const Allocation& a = launch.request->allocations[allocation];
  if (a.freed) {
    fail(launch, kFreedPointer, i, warp, lane, address, bytes, kGlobal);
    return false;
  }
  if (write && a.read_only) {
    fail(launch, kReadOnly, i, warp, lane, address, bytes, kGlobal);
    return false;
  }
  return true;
}

// How many 32-byte sectors the active lanes touch. Aligned accesses of up to 32 bytes lie in one sector each.
int count_sectors(const u64* address, u32 mask) {
  u64 sector[kLanes];
  u64 first = address[first_lane(mask)] >> 5;
  EACH_LANE sector[l] = (mask >> l & 1) ? address[l] >> 5 : first;
  int changes = 1;
  bool sorted = true;
  for (int l = 1; l < kLanes; l++) {
    changes += sector[l] != sector[l - 1];
    sorted &= sector[l] >= sector[l - 1];
  }
  if (sorted) return changes;
  std::sort(sector, sector + kLanes);
  return static_cast<int>(std::unique(sector, sector + kLanes) - sector);
}

// Passes that shared memory needs: 32 banks of 4 bytes; 8-byte accesses go by half warps, 16-byte by quarters.
int count_wavefronts(const u64* address, u32 mask, int bytes) {
  int phases = bytes <= 4 ? 1 : bytes / 4, words = phases, per_phase = kLanes / phases, total = 0;
  for (int phase = 0; phase < phases; phase++) {
    u32 part = phases == 1 ? mask : mask & (((1u << per_phase) - 1) << (phase * per_phase));
    if (!part) continue;
    u64 seen[kLanes][kLanes];  // distinct words of each bank
    u8 count[kLanes] = {};
    int most = 1;
    for (u32 rest = part; rest; rest &= rest - 1) {
      u64 word = address[first_lane(rest)] >> 2;
      for (int w = 0; w < words; w++, word++) {
        int bank = static_cast<int>(word & 31), n = count[bank], k = 0;
        while (k < n && seen[bank][k] != word) k++;
        if (k < n) continue;
        seen[bank][n] = word;
        count[bank] = static_cast<u8>(n + 1);
        most = std::max(most, n + 1);
      }
    }
    total += most;
  }
  return total;
}

bool outside(u64 address, int bytes, u64 size) {
  return size < static_cast<u64>(bytes) || address > size - static_cast<u64>(bytes);
}

// Whether each lane lies the same number of bytes behind the one before; `stride` may be negative.
bool evenly_spaced(const u64* address, s64& stride) {
  stride = static_cast<s64>(address[1] - address[0]);
  u64 different = 0;
  EACH_LANE different |= address[l] - (address[0] + static_cast<u64>(stride) * static_cast<u64>(l));
  return different == 0;
}

int wavefronts_of(const u64* address, u32 mask, int bytes, bool consecutive) {
  if (consecutive) return bytes <= 4 ? 1 : bytes / 4;
  s64 stride;
  if (mask == kAllLanes && bytes == 4 && evenly_spaced(address, stride)) {
    s64 words = stride / 4;  // lanes l and m meet in a bank when (l - m) * words is a multiple of 32
    return words == 0 ? 1 : 1 << std::min(5, __builtin_ctzll(static_cast<u64>(words)));
  }
  return count_wavefronts(address, mask, bytes);
}

// The addresses of all lanes; a lane that is not active gets that of the first active one.
void gather_addresses(char* frame, u32 mask, const Instruction& i, u64* address) {
  if (i.address_bytes == 0) {
    EACH_LANE address[l] = static_cast<u64>(i.immediate);
    return;
  }
  if (i.address_bytes == 8) {
    const u64* a = lanes<u64>(frame, i.a);
    EACH_LANE address[l] = a[l] + static_cast<u64>(i.immediate);
  } else {
    const u32* a = lanes<u32>(frame, i.a);
    EACH_LANE address[l] = a[l] + static_cast<u64>(i.immediate);
  }
  if (mask != kAllLanes) {
    u64 first = address[first_lane(mask)];
    EACH_LANE address[l] = (mask >> l & 1) ? address[l] : first;
  }
}

s32 space_of(u64 address) {
  if (address - kSharedWindow < kWindowBytes) return kShared;
  if (address - kLocalWindow < kWindowBytes) return kLocal;
  return kGlobal;
}

template <class Memory, class Register, bool kConsecutive>
void move_lanes(u8* const* host, char* frame, u32 mask, s32 slot, int offset, bool store) {
  Register* r = reinterpret_cast<Register*>(frame + slot);
  if (kConsecutive) {  // all lanes, one element after the other
    u8* p = host[0] + offset;
    Memory values[kLanes];
    if (store) {
      EACH_LANE values[l] = static_cast<Memory>(r[l]);
      memcpy(p, values, sizeof values);
    } else {
      memcpy(values, p, sizeof values);
      EACH_LANE r[l] = static_cast<Register>(values[l]);
    }
    return;
  }
  auto one = [&](int l) {
    Memory value;
    if (store) {
      value = static_cast<Memory>(r[l]);
      memcpy(host[l] + offset, &value, sizeof value);
    } else {
      memcpy(&value, host[l] + offset, sizeof value);
      r[l] = static_cast<Register>(value);
    }
  };
  if (mask == kAllLanes) {
    for (int l = 0; l < kLanes; l++) one(l);
  } else {
    each_active(mask, one);
  }
}

template <bool kConsecutive>
void move_element(u8* const* host, char* frame, u32 mask, const Instruction& i, int v, bool store) {
  s32 slot = i.values[v];
  if (slot < 0) return;
  int offset = v * i.bytes;
  bool wide = i.flags & kWideRegister, sign = i.flags & kSignExtend;
#define MOVE(M, R) move_lanes<M, R, kConsecutive>(host, frame, mask, slot, offset, store)
  switch (i.bytes) {
    case 1:
      if (wide) return sign ? MOVE(s8, s64) : MOVE(u8, u64);
      return sign ? MOVE(s8, s32) : MOVE(u8, u32);
    case 2:
      if (wide) return sign ? MOVE(s16, s64) : MOVE(u16, u64);
      return sign ? MOVE(s16, s32) : MOVE(u16, u32);
    case 4:
      if (wide) return sign ? MOVE(s32, s64) : MOVE(u32, u64);
      return MOVE(u32, u32);
    default: return MOVE(u64, u64);
  }
#undef MOVE
}

// Marks what a store wrote, or finds a read of what nobody wrote.
bool track_shared(Launch& launch, const Warp& warp, const Instruction& i, const u64* address, u32 mask, int bytes, bool store, bool consecutive) {
  u8* written = launch.shared_written.data();
  if (store) {
    if (consecutive) {
      memset(written + address[0], 1, static_cast<size_t>(bytes) * kLanes);
    } else {
      each_active(mask, [&](int l) { memset(written + address[l], 1, static_cast<size_t>(bytes)); });
    }
    return true;
  }
  if (consecutive && !memchr(written + address[0], 0, static_cast<size_t>(bytes) * kLanes)) return true;
  if (bytes == 4) {  // the usual case, four bytes at once
    bool all = true;
    each_active(mask, [&](int l) {
      u32 four;
      memcpy(&four, written + address[l], 4);
      all &= four == 0x01010101u;
    });
    if (all) return true;
  }
  for (u32 rest = mask; rest; rest &= rest - 1) {
    int l = first_lane(rest);
    for (int k = 0; k < bytes; k++) {
      if (!written[address[l] + k]) {
        fail(launch, kUninitialisedShared, i, warp, l, address[l] + k, bytes, kShared);
        return false;
      }
    }
  }
  return true;
}

void access_in(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i, s32 space, u64* address, bool store) {
  const int bytes = i.bytes * i.vector;
  Counter& counter = launch.request->counters[&i - launch.request->code];
  u64 low = ~0ull, high = 0, misaligned = 0, step = 0;
  const u64 start = address[0];
  EACH_LANE {
    low = address[l] < low ? address[l] : low;
    high = address[l] > high ? address[l] : high;
    misaligned |= address[l] & static_cast<u64>(bytes - 1);
    step |= address[l] - (start + static_cast<u64>(l) * bytes);
  }
  const bool consecutive = step == 0 && mask == kAllLanes;
  if (misaligned) {
    for (u32 rest = mask; rest; rest &= rest - 1) {
      int l = first_lane(rest);
      if (address[l] & static_cast<u64>(bytes - 1)) return fail(launch, kMisaligned, i, warp, l, address[l], bytes, space);
    }
  }
  u8* host[kLanes];
  switch (space) {
    case kGlobal:
    case kConst: {
      s32& hint = launch.hints[&i - launch.request->code];
      s32 whole = find_allocation(*launch.request, low, high + bytes, hint);
      if (whole >= 0) {
        if (!permitted(launch, warp, i, whole, store, address[first_lane(mask)], bytes, first_lane(mask))) return;
      } else {
        for (u32 rest = mask; rest; rest &= rest - 1) {
          int l = first_lane(rest);
          s32 own = find_allocation(*launch.request, address[l], address[l] + bytes, hint);
          if (own < 0) return fail_global(launch, warp, i, address[l], bytes, l);
          if (!permitted(launch, warp, i, own, store, address[l], bytes, l)) return;
        }
      }
      EACH_LANE host[l] = reinterpret_cast<u8*>(address[l] + static_cast<u64>(launch.request->host_offset));
      if (space == kGlobal) {
        counter.requests++;
        counter.sectors += consecutive ? ((low & 31) + 32 * bytes + 31) / 32 : count_sectors(address, mask);
      }
      break;
    }
    case kShared: {
      if (outside(high, bytes, launch.shared.size())) {
        for (u32 rest = mask; rest; rest &= rest - 1) {
          int l = first_lane(rest);
          if (outside(address[l], bytes, launch.shared.size())) {
            return fail(launch, kSharedOutOfBounds, i, warp, l, address[l], bytes, kShared);
          }
        }
      }
      if (!track_shared(launch, warp, i, address, mask, bytes, store, consecutive)) return;
      EACH_LANE host[l] = launch.shared.data() + address[l];
      counter.shared_requests++;
      counter.wavefronts += wavefronts_of(address, mask, bytes, consecutive);
      break;
    }
    case kParam: {
      u64 size = static_cast<u64>(launch.request->params_bytes);
      if (store || outside(high, bytes, size)) return fail(launch, kOutOfBounds, i, warp, first_lane(mask), high, bytes, kParam);
      EACH_LANE host[l] = const_cast<u8*>(launch.request->params) + address[l];
      break;
    }
    default: {
      u64 limit = static_cast<u64>(launch.request->local_limit);
      if (outside(high, bytes, limit)) {
        for (u32 rest = mask; rest; rest &= rest - 1) {
          int l = first_lane(rest);
          if (outside(address[l], bytes, limit)) return fail(launch, kLocalOutOfBounds, i, warp, l, address[l], bytes, kLocal);
        }
      }
      EACH_LANE host[l] = launch.local.data() + static_cast<u64>(warp.id * kLanes + l) * limit + address[l];
      break;
    }
  }
  const bool fast = consecutive && i.vector == 1 && space != kLocal;
  for (int v = 0; v < i.vector; v++) {
    if (fast) {
      move_element<true>(host, frame, mask, i, v, store);
    } else {
      move_element<false>(host, frame, mask, i, v, store);
    }
  }
}

// Turns addresses into offsets of their space.
void rebase(const Warp& warp, const Instruction& i, s32 space, u64* address) {
  if (i.space == kGeneric && space == kShared) EACH_LANE address[l] -= kSharedWindow;
  if (i.space == kGeneric && space == kLocal) EACH_LANE address[l] -= kLocalWindow;
  // A local variable named in the instruction lies in the frame of the function that runs.
  if (i.space == kLocal && i.address_bytes == 0) EACH_LANE address[l] += static_cast<u64>(warp.local_base);
}

// Calls `body(mask, space)` for each space that the addresses of a generic instruction point to.
template <class F> void by_space(u32 mask, const Instruction& i, const u64* address, F body) {
  if (i.space != kGeneric) return body(mask, i.space);
  while (mask) {
    s32 space = space_of(address[first_lane(mask)]);
    u32 same = 0;
    each_active(mask, [&](int l) { same |= static_cast<u32>(space_of(address[l]) == space) << l; });
    body(same, space);
    mask &= ~same;
  }
}

enum AtomicOperation : s32 {
  kAtomAdd = 0, kAtomMin, kAtomMax, kAtomAnd, kAtomOr, kAtomXor, kAtomExchange, kAtomCompare, kAtomIncrement, kAtomDecrement,
};

u64 combine_atomic(const Instruction& i, u64 old, u64 value, u64 swap) {
  switch (i.mode) {
    case kAtomAdd:
      switch (i.type) {
        case kF32: {
          f32 x = bits<f32>(static_cast<u32>(old)), y = bits<f32>(static_cast<u32>(value));
          return bits<u32>(i.flags & kFtz ? ftz(canonical(ftz(x) + ftz(y))) : canonical(x + y));
        }
        case kF64: return bits<u64>(settle(bits<f64>(old) + bits<f64>(value), bits<f64>(old), bits<f64>(value)));
        case kF16:
          if (i.bytes == 4) return both(add_f16(old, value), add_f16(old >> 16, value >> 16));
          return add_f16(old, value);
        case kBF16:
          if (i.bytes == 4) {
            return both(to_bf16(from_bf16(old) + from_bf16(value)), to_bf16(from_bf16(old >> 16) + from_bf16(value >> 16)));
          }
          return to_bf16(from_bf16(old) + from_bf16(value));
        default: return old + value;
      }
    case kAtomMin:
    case kAtomMax: {
      bool less;
      switch (i.type) {
        case kS32: less = static_cast<s32>(old) < static_cast<s32>(value); break;
        case kS64: less = static_cast<s64>(old) < static_cast<s64>(value); break;
        default: less = old < value; break;
      }
      return less == (i.mode == kAtomMin) ? old : value;
    }
    case kAtomAnd: return old & value;
    case kAtomOr: return old | value;
    case kAtomXor: return old ^ value;
    case kAtomExchange: return value;
    case kAtomCompare: return old == value ? swap : old;
    case kAtomIncrement: return old >= value ? 0 : old + 1;
    default: return old == 0 || old > value ? value : old - 1;
  }
}

u64 read_register(char* frame, s32 slot, int bytes, int l) {
  if (slot < 0) return 0;
  if (bytes == 8) return lanes<u64>(frame, slot)[l];
  u32 x = lanes<u32>(frame, slot)[l];
  return bytes == 2 ? x & 0xffff : x;
}

}  // namespace

void load_or_store(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i, bool store) {
  if (!mask) return;
  u64 address[kLanes];
  gather_addresses(frame, mask, i, address);
  if (i.space != kGeneric) {
    rebase(warp, i, i.space, address);
    return access_in(launch, warp, frame, mask, i, i.space, address, store);
  }
  by_space(mask, i, address, [&](u32 part, s32 space) {
    if (launch.failed()) return;
    u64 offsets[kLanes];
    u64 first = address[first_lane(part)];
    EACH_LANE offsets[l] = (part >> l & 1) ? address[l] : first;
    rebase(warp, i, space, offsets);
    access_in(launch, warp, frame, part, i, space, offsets, store);
  });
}

u8* resolve(Launch& launch, const Warp& warp, const Instruction& i, s32 space, u64 address, int bytes, int lane, bool write) {
  if (space == kGeneric) {
    space = space_of(address);
    if (space == kShared) address -= kSharedWindow;
    if (space == kLocal) address -= kLocalWindow;
  }
  if (address & static_cast<u64>(bytes - 1)) {
    fail(launch, kMisaligned, i, warp, lane, address, bytes, space);
    return nullptr;
  }
  if (space == kShared) {
    if (outside(address, bytes, launch.shared.size())) {
      fail(launch, kSharedOutOfBounds, i, warp, lane, address, bytes, space);
      return nullptr;
    }
    return launch.shared.data() + address;
  }
  if (space == kLocal) {
    u64 limit = static_cast<u64>(launch.request->local_limit);
    if (outside(address, bytes, limit)) {
      fail(launch, kLocalOutOfBounds, i, warp, lane, address, bytes, space);
      return nullptr;
    }
    return launch.local.data() + static_cast<u64>(warp.id * kLanes + lane) * limit + address;
  }
  s32 hint = -1;
  s32 own = find_allocation(*launch.request, address, address + bytes, hint);
  if (own < 0) {
    fail_global(launch, warp, i, address, bytes, lane);
    return nullptr;
  }
  if (!permitted(launch, warp, i, own, write, address, bytes, lane)) return nullptr;
  return reinterpret_cast<u8*>(address + static_cast<u64>(launch.request->host_offset));
}

// Lanes take their turns in order of their number.
void atomic(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i) {
  if (!mask) return;
  u64 address[kLanes];
  gather_addresses(frame, mask, i, address);
  Counter& counter = launch.request->counters[&i - launch.request->code];
  by_space(mask, i, address, [&](u32 part, s32 space) {
    for (u32 rest = part; rest && !launch.failed(); rest &= rest - 1) {
      int l = first_lane(rest);
      u8* host = resolve(launch, warp, i, i.space, address[l], i.bytes, l, true);
      if (!host) return;
      if (space == kShared) {
        u64 offset = i.space == kGeneric ? address[l] - kSharedWindow : address[l];
        u64 one[kLanes] = {};
        one[l] = offset;
        // An exchange reads what was there, but is a way to initialise too.
        bool only_writes = i.mode == kAtomExchange;
        if (!track_shared(launch, warp, i, one, 1u << l, i.bytes, only_writes, false)) return;
      }
      u64 old = 0;
      memcpy(&old, host, i.bytes);
      u64 fresh = combine_atomic(i, old, read_register(frame, i.b, i.bytes, l), read_register(frame, i.c, i.bytes, l));
      memcpy(host, &fresh, i.bytes);
      if (i.d < 0) continue;
      if (i.bytes == 8) {
        lanes<u64>(frame, i.d)[l] = old;
      } else {
        lanes<u32>(frame, i.d)[l] = static_cast<u32>(old);
      }
    }
    if (space == kGlobal) {
      counter.requests++;
      counter.sectors += count_sectors(address, part);
    }
  });
}
