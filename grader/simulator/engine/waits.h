// Lanes of a warp that wait for each other at .sync operations.
//
// PTX ISA 9.0, bar.warp.sync, shfl.sync, vote.sync, match.sync, redux.sync: the executing lanes wait until all
// lanes named by the mask that have not exited execute the same instruction with the same mask; bar.warp.sync may
// be met from several places. Paths that come one after the other are put together: the values of all lanes are
// gathered, wherever their registers lie.
#pragma once
#include "state.h"

// What is wrong with a warp operation: `detail` of a kShuffle fault.
enum ShuffleDetail : s32 {
  kAbsent = 0,     // a lane that the mask names never comes
  kNotNamed,       // the mask does not name its own lane
  kNotAll,         // a lane never comes to an operation of the whole warp,
  kShortWarp,      // or does not exist, or has exited,
  kOtherOperands,  // or gives another address or stride than the first one
  kNoPartner,      // a value was read from the lane `address`, which did not take part, and is used
  kOtherMask,      // lanes that wait for each other give different masks,
  kOtherCall,      // or are at different operations
};

// Whether all lanes that the masks name are active and agree: the operation can be done at once.
bool all_here(const Warp&, char* frame, u32 active, const Instruction&);

// Does it, for lanes of one frame.
void warp_operation(Launch&, Warp&, char* frame, u32 lanes, const Instruction&);

// The active lanes of the running path wait, the others go on; the running path ends here. A fault where a mask
// does not name its own lane.
void wait_for_lanes(Launch&, Warp&, char* frame, u32 active, const Instruction&);

// Does every operation whose lanes have come.
void finish_warp_operations(Launch&, Warp&);

// The running path waits at a barrier of the block; lanes that are not active go on.
void wait_at_barrier(Warp&, u32 active, u32 vote);

// Nobody in the warp can run. True: somebody can now. False: the warp is at a barrier of the block, or a fault is
// recorded, which says who waits for whom.
bool let_someone_run(Launch&, Warp&);

// Lanes that others wait for have exited without coming.
void fail_awaited(Launch&, Warp&, u32 lanes);
