// Warp-synchronous code: lanes that take it for granted that the others run in lockstep with them.
//
// Since Volta they need not (CUDA C++ Programming Guide, independent thread scheduling), and `volatile` orders no
// lanes; but strong accesses are no data race. So this is a rule of its own: lanes store to words of their own in
// one instruction, and one of them loads another's word in a later one, on the same path, with nothing in between
// that orders the two. Who polls does not take lockstep for granted.
#pragma once
#include "order.h"
#include "state.h"

// The last strong store of a warp to shared memory.
struct LockstepStore {
  LockstepStore() = default;
  LockstepStore(Moment, u32 lanes, const u64* address);

  Moment moment = 0;  // 0: none
  u32 lanes = 0;
  u64 address[kLanes];
  u64 awaited[kLanes];  // what a lane waited for since, and may load again; ~0: nothing
};

// A lane of the store that `lane`, one of the lanes of this load, relies on; -1: none.
int relies_on(const LockstepStore&, const Order&, const Warp&, const u64* address, u32 lanes, int lane);

// Whether a load comes again, or another strong one does, with no store in between: a loop that waits.
bool polls(const Launch&, s32 pc);
