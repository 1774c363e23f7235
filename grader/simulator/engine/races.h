// Races: accesses of two threads to the same bytes, one of them a write, that nothing orders.
//
// The scheduler tells what orders threads (barriers, fences), memory operations what they touch; the first race
// found is a fault. Where nobody asked for races, `launch.races` is null and none of this is called.
#pragma once
#include "state.h"

class Races {
 public:
  // The current block starts.
  void begin_block(Launch&);

  // All warps in `warps` (bit by number) met at a barrier of the block: what they did before is seen after.
  void block_barrier(Launch&, u32 warps);

  // The lanes met at a barrier of the warp.
  void warp_barrier(Launch&, Warp&, u32 lanes);

  // A fence; `scope`: 0 block, 1 device, 2 system.
  void fence(Launch&, Warp&, u32 lanes, int scope);

  // Lanes touch memory; `strong`: volatile, relaxed or stronger, or an atomic. False, and a fault, at a race.
  bool access(Launch&, Warp&, const Instruction&, s32 space, const u64* address, u32 lanes, int bytes,
              bool write, bool strong);
};
