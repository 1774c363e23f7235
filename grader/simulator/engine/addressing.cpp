#include "addressing.h"

#include <algorithm>

s32 find_allocation(const LaunchRequest& request, u64 low, u64 high, s32& hint) {
  const Allocation* all = request.allocations;
  if (high <= low) return -1;  // past the last address
  if (hint >= 0 && low >= all[hint].base && high <= all[hint].base + all[hint].bytes) return hint;
  const Allocation* end = all + request.allocation_count;
  const Allocation* after =
      std::upper_bound(all, end, low, [](u64 x, const Allocation& a) { return x < a.base; });
  if (after == all) return -1;
  const Allocation& candidate = after[-1];
  if (high > candidate.base + candidate.bytes) return -1;
  return hint = static_cast<s32>(&candidate - all);
}

void fail_global(Launch& launch, const Warp& warp, const Instruction& i, u64 address, int bytes, int lane) {
  FaultKind kind = address < kNullLimit ? kNullPointer : kOutOfBounds;
  fail(launch, kind, i, warp, lane, address, bytes, kGlobal);
}

bool permitted(Launch& launch, const Warp& warp, const Instruction& i, s32 allocation, bool write,
               u64 address, int bytes, int lane) {
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

namespace {

// Marks bytes as written, as many at once as T has; how many of them were. A mark is 0 or 1.
template <class T>
int mark_as(u8* marks, int count) {
  constexpr T kAll = static_cast<T>(0x0101010101010101ull);
  int before = 0;
  for (int k = 0; k < count; k += static_cast<int>(sizeof(T))) {
    T old;
    memcpy(&old, marks + k, sizeof old);
    memcpy(marks + k, &kAll, sizeof kAll);
    before += __builtin_popcountll(old);
  }
  return before;
}

// Marks bytes as written; how many of them were not. `map` + address: the mark of a byte.
s64 mark_written(u64 map, const u64* address, u32 mask, int bytes, bool consecutive) {
  if (consecutive) return bytes * kLanes - mark_as<u64>(reinterpret_cast<u8*>(map + address[0]), bytes * kLanes);
  int before = 0;
  each_active(mask, [&](int l) {
    u8* marks = reinterpret_cast<u8*>(map + address[l]);
    switch (bytes) {
      case 4: before += mark_as<u32>(marks, 4); break;
      case 8:
      case 16: before += mark_as<u64>(marks, bytes); break;
      default: before += mark_as<u8>(marks, bytes);
    }
  });
  return bytes * __builtin_popcount(mask) - before;
}

bool all_written(u64 map, const u64* address, u32 mask, int bytes, bool consecutive) {
  auto written = [&](u64 first, int count) {
    return !memchr(reinterpret_cast<u8*>(map + first), 0, static_cast<size_t>(count));
  };
  if (consecutive && written(address[0], bytes * kLanes)) return true;
  bool all = true;
  if (bytes == 4) {  // the usual case, four bytes at once
    each_active(mask, [&](int l) {
      u32 four;
      memcpy(&four, reinterpret_cast<u8*>(map + address[l]), 4);
      all &= four == 0x01010101u;
    });
  } else {
    each_active(mask, [&](int l) { all &= written(address[l], bytes); });
  }
  return all;
}

}  // namespace

bool track_shared(Launch& launch, const u64* address, u32 mask, int bytes, bool store, bool consecutive) {
  Block& block = *launch.block;
  if (block.unwritten == 0) return true;  // everything is written: nothing to mark or to find
  const u64 map = reinterpret_cast<u64>(block.shared_written.data());
  if (!store) return all_written(map, address, mask, bytes, consecutive);
  block.unwritten -= mark_written(map, address, mask, bytes, consecutive);
  return true;
}

bool track_buffer(Launch& launch, s32 allocation, const u64* address, u32 mask, int bytes, bool store,
                  bool consecutive) {
  Allocation& a = launch.request->allocations[allocation];
  const u64 map = static_cast<u64>(launch.request->written_offset);
  if (!store) return all_written(map, address, mask, bytes, consecutive);
  const s64 fresh = mark_written(map, address, mask, bytes, consecutive);
  if (fresh) __atomic_fetch_sub(&a.unwritten, static_cast<u64>(fresh), __ATOMIC_RELAXED);
  return true;
}

bool track_global(Launch& launch, const u64* address, u32& mask, int bytes, bool store) {
  const LaunchRequest& request = *launch.request;
  bool all = true;
  s32 hint = -1;
  u32 looked_at = 0;
  for (u32 rest = mask; rest;) {  // buffer by buffer
    const u64 first = address[first_lane(rest)];
    const s32 found = find_allocation(request, first, first + static_cast<u64>(bytes), hint);
    const Allocation& a = request.allocations[found];
    u32 same = 0;
    each_active(rest, [&](int l) { same |= static_cast<u32>(address[l] - a.base < a.bytes) << l; });
    rest &= ~same;
    if (!tracked(a)) continue;
    looked_at |= same;
    all &= track_buffer(launch, found, address, same, bytes, store, false);
  }
  mask = looked_at;
  return all;
}

void rebase(const Warp& warp, const Instruction& i, s32 space, u64* address) {
  if (i.space == kGeneric && space == kShared) EACH_LANE address[l] -= kSharedWindow;
  if (i.space == kGeneric && space == kLocal) EACH_LANE address[l] -= kLocalWindow;
  // A local variable named in the instruction lies in the frame of the function that runs.
  if (i.space == kLocal && i.address_bytes == 0) EACH_LANE address[l] += static_cast<u64>(warp.local_base);
}

u8* resolve(Launch& launch, const Warp& warp, const Instruction& i, s32 space, u64 address, int bytes,
            int lane, bool write) {
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
    if (outside(address, bytes, launch.block->shared.size())) {
      fail(launch, kSharedOutOfBounds, i, warp, lane, address, bytes, space);
      return nullptr;
    }
    return launch.block->shared.data() + address;
  }
  if (space == kLocal) {
    u64 limit = static_cast<u64>(launch.request->local_limit);
    if (outside(address, bytes, limit)) {
      fail(launch, kLocalOutOfBounds, i, warp, lane, address, bytes, space);
      return nullptr;
    }
    return local_memory(launch, warp, lane) + address;
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
