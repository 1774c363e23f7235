// What orders the threads of a block among each other and after those of other blocks.
//
// A thread knows another one up to a moment: what that one did before is seen by what this one does now. Barriers
// of the block and of the warp pass knowledge on among those that meet there; fences and strong accesses pass it
// on to whoever sees their values ("release" and "acquire" of the PTX ISA's memory consistency model, 8.9). What
// threads of the block have seen before a barrier, a fence behind it makes known, whoever's it is; without one it is
// enough for all but weak reads, which a GPU may answer from a cache: the programming guide's last block reads by
// `volatile`. What other threads have fenced before a barrier is released by who goes on behind it.
// Shuffles and votes order nothing (CUDA C++ Programming Guide, warp shuffle functions), but who has come there has
// read what it read before.
#pragma once
#include <unordered_map>

#include "shadow.h"
#include "state.h"
#include "view.h"

enum Scope : int { kOfBlock = 0, kOfDevice = 1, kScopes = 2 };

// A variable through which threads release and acquire: what who sees its value may know.
struct Flag {
  u32 block;                  // that wrote it last
  const View* view[kScopes];  // [kOfBlock]: for threads of that block alone
};

// A read of shared memory that no cell has a mark of yet: see races.h.
struct PostponedRead {
  Mark mine;  // of lane 0
  u32 lanes, bytes;
  u32 address[kLanes];
};

using Flags = std::unordered_map<u64, Flag>;  // looked up by key, never walked through

class Order {
 public:
  explicit Order(Views& views) : views_(views) {}

  // A block starts: whatever the last one here did is over.
  void begin(u32 block, int warps, Moment now);

  void arrive(s32 barrier, int warp, Moment now);
  void block_barrier(s32 barrier, u32 arrived, u32 waited, bool everybody, Moment now);
  void warp_barrier(const Warp&, u32 lanes, Moment now);
  void meet(const Warp&, u32 lanes, Moment now);
  void fence(int warp, u32 lanes, Scope, Moment now);

  // A thread reads or writes a flag by a strong access.
  void acquire(Flags&, u64 key, int warp, int lane);
  void release(Flags&, u64 key, int warp, int lane, bool goes_on);  // goes_on: read and written in one

  // Whether what a lane did at `moment` is ordered before what `lane` of `warp` does now.
  bool knows(int warp, int lane, u32 block, s32 other_warp, int other_lane, Moment moment, bool weak_read) const;

  u32 block() const { return block_; }
  Moment floor() const { return floor_; }
  Moment met(int warp) const { return met_[static_cast<size_t>(warp)]; }
  Moment changed() const { return changed_; }

  Shadow shared;  // of the block's shared memory
  std::vector<PostponedRead> postponed;

 private:
  struct Fence {
    const View* known;  // of other blocks, and by flags of this one
    Moment floor, warp_floor, at;  // of the block, the warp, the thread itself; 0: no fence yet
    const View* released;          // these as a view, once somebody needs it
  };
  struct Thread {
    const View* known;
    const View* seen[kScopes];    // in flags, until a fence makes it known
    const View* passed[kScopes];  // seen by threads of the block before a barrier, until a fence makes it known
    Fence fence[kScopes];
  };

  Thread& thread(int warp, int lane) { return threads_[static_cast<size_t>(warp * kLanes + lane)]; }
  const View* released(int warp, int lane, int scope);
  // What was fenced and is known goes from some warps to others, or the same.
  void publish(u32 from, u32 to, u32 lanes);

  Views& views_;
  u32 block_ = 0;
  int warps_ = 0;
  Moment floor_ = 0;    // every thread knows all of the block up to here
  Moment changed_ = 0;  // the last moment at which something was ordered
  std::vector<Moment> warp_floor_;  // of each warp: every lane knows its warp up to here
  std::vector<Moment> met_;         // of each warp: its last shuffle or vote of all lanes
  std::vector<Moment> arrived_;     // [barrier][warp], by bar.arrive
  std::vector<Moment> between_;     // [warp][other warp], after barriers of some warps
  std::vector<Moment> lanes_;       // [warp][lane][other lane], after barriers of some lanes
  std::vector<Thread> threads_;     // where nobody has fenced or read a flag: empty
  std::vector<const View*> published_[kScopes];  // of each warp
  bool fenced_ = false;                          // since the last barrier
};
