// Where an address points, and whether it may be touched.
#pragma once
#include "cost.h"
#include "lanes.h"

// The allocation that holds [low, high), or -1. Allocations are sorted by address; `hint` is tried first.
s32 find_allocation(const LaunchRequest&, u64 low, u64 high, s32& hint);

// Records that no buffer lies there.
void fail_global(Launch&, const Warp&, const Instruction&, u64 address, int bytes, int lane);

// Whether an allocation may be touched so; records a fault where not.
bool permitted(Launch&, const Warp&, const Instruction&, s32 allocation, bool write, u64 address, int bytes,
               int lane);

// The host bytes behind [address, address + bytes), or null and a recorded fault.
u8* resolve(Launch&, const Warp&, const Instruction&, s32 space, u64 address, int bytes, int lane,
            bool write);

// Marks what a store wrote to shared memory, or tells whether all that a load reads was written.
bool track_shared(Launch&, const u64* address, u32 mask, int bytes, bool store, bool consecutive);

// Whether there are bytes in this buffer that nobody wrote. Other threads of the host may be writing them.
inline bool tracked(const Allocation& a) { return __atomic_load_n(&a.unwritten, __ATOMIC_RELAXED) != 0; }

// The same as `track_shared` for a buffer that is tracked.
bool track_buffer(Launch&, s32 allocation, const u64* address, u32 mask, int bytes, bool store, bool consecutive);

// The same for global memory, where every lane's access lies in a buffer. `mask` keeps the lanes whose buffer is
// tracked: what else there is, is taken for written.
bool track_global(Launch&, const u64* address, u32& mask, int bytes, bool store);

// The addresses of all lanes; a lane that is not active gets that of the first active one.
void gather_addresses(char* frame, u32 mask, const Instruction&, u64* address);

// Turns addresses into offsets of their space.
void rebase(const Warp&, const Instruction&, s32 space, u64* address);

inline bool outside(u64 address, int bytes, u64 size) {
  return size < static_cast<u64>(bytes) || address > size - static_cast<u64>(bytes);
}

inline s32 space_of(u64 address) {
  if (address - kSharedWindow < kWindowBytes) return kShared;
  if (address - kLocalWindow < kWindowBytes) return kLocal;
  return kGlobal;
}

// Calls `body(mask, space)` for each space that the addresses of a generic instruction point to.
template <class F>
void by_space(u32 mask, const Instruction& i, const u64* address, F body) {
  if (i.space != kGeneric) return body(mask, i.space);
  while (mask) {
    s32 space = space_of(address[first_lane(mask)]);
    u32 same = 0;
    each_active(mask, [&](int l) { same |= static_cast<u32>(space_of(address[l]) == space) << l; });
    body(same, space);
    mask &= ~same;
  }
}
