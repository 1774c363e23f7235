// Loads and stores, and what they cost.
#include "memory.h"

#include <algorithm>

#include "addressing.h"
#include "async_copy.h"
#include "races.h"
#include "undefined.h"

namespace {

// Moving all addresses by 32 bytes changes no count of sectors, moving them by 4 bytes no bank conflict and no
// word of local memory, moving them by the access's size no alignment.
u32 phase_of(u64 address, s32 space, int bytes) {
  int period = space == kGlobal ? 32 : std::max(bytes, 4);
  return static_cast<u32>(address) & static_cast<u32>(period - 1);
}

void measure(AccessPattern& p, const u64* address, u32 mask, s32 space, int bytes, bool store) {
  const u64 first = address[first_lane(mask)];
  u64 misaligned = 0, step = 0;
  p.mask = mask;
  p.space = space;
  p.phase = phase_of(first, space, bytes);
  p.low = p.high = 0;
  for (int l = 0; l < kLanes; l++) {
    s64 difference = static_cast<s64>(address[l] - first);
    p.difference[l] = static_cast<u32>(difference);
    p.low = std::min(p.low, difference);
    p.high = std::max(p.high, difference);
    misaligned |= address[l] & static_cast<u64>(bytes - 1);
    step |= address[l] - (first + static_cast<u64>(l) * static_cast<u64>(bytes));
  }
  p.misaligned = misaligned != 0;
  p.consecutive = step == 0 && mask == kAllLanes;
  p.cost = 0;
  if (p.misaligned) return;
  if (space == kGlobal) p.cost = count_sectors(address, mask);
  if (space == kShared) p.cost = (store ? count_wavefronts : count_load_wavefronts)(address, mask, bytes);
  if (space == kLocal) p.cost = count_local_sectors(address, mask, bytes);
}

// The pattern of these addresses: the instruction's last one where it still fits.
const AccessPattern& pattern_of(AccessPattern& p, const u64* address, u32 mask, s32 space, int bytes, bool store) {
  const u64 first = address[first_lane(mask)];
  u32 difference[kLanes];
  u64 far = 0;  // bits from 32 on: some difference does not fit 32 bits
  EACH_LANE {
    u64 d = address[l] - first;
    difference[l] = static_cast<u32>(d);
    far |= d + 0x80000000ull;
  }
  u32 changed =
      (p.mask ^ mask) | static_cast<u32>(p.space ^ space) | (p.phase ^ phase_of(first, space, bytes));
  EACH_LANE changed |= p.difference[l] ^ difference[l];
  if (changed || far >> 32) {
    measure(p, address, mask, space, bytes, store);
    p.far = far >> 32;
    if (p.far) p.mask = 0;  // not to be found again
  }
  return p;
}

template <class Memory, class Register, bool kConsecutive>
void move_lanes(u64 base, const u64* address, char* frame, u32 mask, s32 slot, bool store) {
  Register* r = reinterpret_cast<Register*>(frame + slot);
  if (kConsecutive) {  // all lanes, one element after the other
    u8* p = reinterpret_cast<u8*>(base + address[0]);
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
      memcpy(reinterpret_cast<u8*>(base + address[l]), &value, sizeof value);
    } else {
      memcpy(&value, reinterpret_cast<u8*>(base + address[l]), sizeof value);
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
void move_element(u64 base, const u64* address, char* frame, u32 mask, const Instruction& i, int v,
                  bool store) {
  s32 slot = i.values[v];
  if (slot < 0) return;
  base += static_cast<u64>(v * i.bytes);
  bool wide = i.flags & kWideRegister, sign = i.flags & kSignExtend;
#define MOVE(M, R) move_lanes<M, R, kConsecutive>(base, address, frame, mask, slot, store)
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

void access_in(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i, s32 space,
               u64* address, bool store) {
  const int bytes = i.bytes * i.vector;
  Counter& counter = counter_of(launch, i);
  const AccessPattern& pattern =
      pattern_of(launch.patterns[pc_of(launch, i)], address, mask, space, bytes, store);
  const u64 first = address[first_lane(mask)];
  // Far apart, addresses may wrap around: nothing is known of them together, each is checked alone.
  const u64 low = pattern.far ? 0 : first + static_cast<u64>(pattern.low);
  const u64 high = pattern.far ? ~0ull : first + static_cast<u64>(pattern.high);
  // An address in front of the first lane's may still have wrapped below zero: both ends are checked.
  const bool consecutive = pattern.consecutive;
  if (pattern.misaligned) {
    for (u32 rest = mask; rest; rest &= rest - 1) {
      int l = first_lane(rest);
      if (address[l] & static_cast<u64>(bytes - 1))
        return fail(launch, kMisaligned, i, warp, l, address[l], bytes, space);
    }
  }
  bool seen_by_others = launch.races && (space == kGlobal || space == kShared);
  u64 base = 0;  // host address of the space's first byte, or what leads there from a device address
  switch (space) {
    case kGlobal:
    case kConst: {
      s32& hint = launch.hints[pc_of(launch, i)];
      s32 whole = find_allocation(*launch.request, low, high + bytes, hint);
      if (whole >= 0) {
        if (!permitted(launch, warp, i, whole, store, address[first_lane(mask)], bytes, first_lane(mask)))
          return;
        const Allocation& buffer = launch.request->allocations[whole];
        seen_by_others &= !buffer.read_only;
        if (__builtin_expect(tracked(buffer), 0) &&
            !track_buffer(launch, whole, address, mask, bytes, store, consecutive))
          loaded_undefined(launch, warp, i, space, address, mask);
      } else {
        for (u32 rest = mask; rest; rest &= rest - 1) {
          int l = first_lane(rest);
          s32 own = find_allocation(*launch.request, address[l], address[l] + bytes, hint);
          if (own < 0) return fail_global(launch, warp, i, address[l], bytes, l);
          if (!permitted(launch, warp, i, own, store, address[l], bytes, l)) return;
        }
        u32 lanes = mask;
        if (!track_global(launch, address, lanes, bytes, store))
          loaded_undefined(launch, warp, i, space, address, lanes);
      }
      base = static_cast<u64>(launch.request->host_offset);
      if (space == kGlobal) {
        counter.requests++;
        counter.sectors += static_cast<u64>(pattern.cost);
      }
      break;
    }
    case kShared: {
      if (outside(low, bytes, launch.block->shared.size()) || outside(high, bytes, launch.block->shared.size())) {
        for (u32 rest = mask; rest; rest &= rest - 1) {
          int l = first_lane(rest);
          if (outside(address[l], bytes, launch.block->shared.size())) {
            return fail(launch, kSharedOutOfBounds, i, warp, l, address[l], bytes, kShared);
          }
        }
      }
      if (launch.block->bytes_in_flight && !nothing_in_flight(launch, warp, i, address, mask, bytes)) return;
      if (!track_shared(launch, address, mask, bytes, store, consecutive))
        loaded_undefined(launch, warp, i, space, address, mask);
      base = reinterpret_cast<u64>(launch.block->shared.data());
      counter.shared_requests++;
      counter.wavefronts += static_cast<u64>(pattern.cost);
      break;
    }
    case kParam: {
      u64 size = static_cast<u64>(launch.request->params_bytes);
      if (store || outside(low, bytes, size) || outside(high, bytes, size))
        return fail(launch, kOutOfBounds, i, warp, first_lane(mask), high, bytes, kParam);
      base = reinterpret_cast<u64>(launch.request->params);
      break;
    }
    default: {
      u64 limit = static_cast<u64>(launch.request->local_limit);
      if (outside(low, bytes, limit) || outside(high, bytes, limit)) {
        for (u32 rest = mask; rest; rest &= rest - 1) {
          int l = first_lane(rest);
          if (outside(address[l], bytes, limit))
            return fail(launch, kLocalOutOfBounds, i, warp, l, address[l], bytes, kLocal);
        }
      }
      base = reinterpret_cast<u64>(local_memory(launch, warp, 0));
      EACH_LANE address[l] += static_cast<u64>(l) * limit;  // each thread has its own
      counter.local_requests += static_cast<u64>(count_local_requests(bytes));
      counter.local_sectors += static_cast<u64>(pattern.cost);
      break;
    }
  }
  if (seen_by_others &&
      !launch.races->access(launch, warp, i, space, address, mask, bytes, store, (i.flags & kStrong) != 0))
    return;
  if (store && !warp.undefined.empty() && !stored_undefined(launch, warp, i, space, address, mask)) return;
  const bool fast = consecutive && i.vector == 1 && space != kLocal;
  for (int v = 0; v < i.vector; v++) {
    if (fast) {
      move_element<true>(base, address, frame, mask, i, v, store);
    } else {
      move_element<false>(base, address, frame, mask, i, v, store);
    }
  }
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
