// The state of a running launch.
#pragma once
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "abi.h"

enum class PathState : u8 { kReady, kAtSync, kAtBarrier };

// Lanes that run together: see paths.h.
struct Path {
  s32 pc = 0;
  s32 reconverge = -1;  // where the path ends: at `join`; -1: not inside of a branch of its function
  u32 mask = 0;
  s32 join = -1;  // in Warp::joins
  s32 call = -1;  // in Warp::calls; -1: in the kernel itself
  PathState state = PathState::kReady;
  bool spun = false;  // had its turn, and others had none since
  u32 named = 0;      // kAtSync: the lanes that it waits for
  u32 vote = 0;       // kAtBarrier: of bar.red
  s32 number = 0;     // kAtBarrier: once the whole warp has come, the barrier
};

// Where the lanes of a branch meet again.
struct Join {
  s32 pc, reconverge;
  s32 parent, call;  // the path that the lanes go on as
  u32 lanes;         // that are still to meet, those that have come included; none: the join is over
  u32 arrived;
};

// A function that some lanes are in.
struct CallRecord {
  s32 return_pc, reconverge, join, caller;  // the path that the lanes go on as
  s32 call_pc;
  s32 function, frame, local_base;
  s32 depth;
  u32 lanes;  // that have not left it; none: the call is over
};

// Memory for the frames of a warp, aligned so that no vector of lanes crosses a cache line.
class Registers {
 public:
  Registers() = default;
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  ~Registers() { std::free(data_); }
  char* data() { return data_; }
  const char* data() const { return data_; }
  void grow(size_t bytes) {
    if (bytes <= size_) return;
    size_t rounded = (bytes + 63) & ~static_cast<size_t>(63);
    char* fresh = static_cast<char*>(std::aligned_alloc(64, rounded));
    if (!fresh) throw std::bad_alloc();
    if (size_) memcpy(fresh, data_, size_);
    memset(fresh + size_, 0, rounded - size_);
    std::free(data_);
    data_ = fresh;
    size_ = rounded;
  }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

// A register with undefined lanes: see undefined.h.
struct Undefined {
  s32 place;            // in the warp's registers
  u32 mask;             // of those lanes
  bool computed;        // not only copied
  s32 pc[kLanes];       // of the load
  u64 address[kLanes];  // in shared memory (an offset) or on the device, of the first unwritten byte
};

// A lane's cp.async that has not landed: see async_copy.h.
struct AsyncCopy {
  s32 pc, lane;
  u32 group;  // how many groups the lane had closed before
  s32 bytes, source_bytes;
  u64 from, to;  // a global address; an offset in shared memory
  bool passed;   // its lane waited while the copy was in no closed group
};

// Who fills a word (4 bytes) of shared memory; `pc` -1: nobody.
struct InFlight {
  s32 pc, thread;
};

enum class WarpState { kRunning, kAtBarrier, kDone };

struct Warp {
  int id = 0;
  WarpState state = WarpState::kRunning;
  u32 live = 0;                               // lanes that have not exited
  Path path;                                  // the one that runs
  s32 function = 0, frame = 0, local_base = 0;  // where it is
  std::vector<Path> paths;                    // the others; the last one runs next
  std::vector<Join> joins;
  std::vector<CallRecord> calls;
  u32 awaited = 0;      // lanes that went on, past a join or with a mask of their own, while others wait for them
  bool exited = false;  // lanes exited, or came to a join, since the joins were looked at
  bool waits = false;   // some path was blocked since none was
  bool spins = false;   // its last turn ended because all its paths wait for other threads
  bool polled = false;  // this turn has read what other threads write
  s32 turns = 0;        // of its paths, in this turn
  s32 polls = 0, poll_pc = -1;
  u64 poll_sight = 0;  // what the last poll saw
  bool traced = false;
  Registers registers;
  std::vector<Undefined> undefined;  // nearly always empty
  std::vector<AsyncCopy> copies;     // in the order in which they started
  u32 commits[kLanes] = {};          // groups of copies that each lane has closed
};

// How the addresses of a warp's lanes lie to each other, and what that costs. Most instructions find the same
// pattern again and again, so each keeps the last one that it met.
struct AccessPattern {
  u32 mask;  // of active lanes; 0: no pattern yet
  s32 space;
  u32 phase;               // what else matters of the first active lane's address
  u32 difference[kLanes];  // from the first active lane's address
  s64 low, high;           // the smallest and the largest difference
  s32 cost;                // sectors (global, local) or wavefronts (shared)
  bool misaligned;         // some lane's address is no multiple of the access's size
  bool consecutive;        // all 32 lanes, one behind the other
  bool far;                // some difference does not fit 32 bits: `low` and `high` say nothing
};

// One of the barriers of a block that somebody has come to: see barriers.h.
struct Barrier {
  s32 kind = 0, count = 0;  // whether it combines predicates; threads it waits for, 0: all of the block
  s32 arrived = 0;          // threads, whole warps of them
  u32 warps = 0;            // that have come
  s32 pc = -1, thread = -1;  // of the first
};

constexpr s64 kMultiprocessors = 132;  // of an H200
constexpr int kBarriers = 16;

class Order;

// A block that has begun: its warps and its memory.
struct Block {
  s64 number = 0;  // linear: x runs fastest
  s64 used = 0;    // of the budget
  s32 place[3] = {};
  std::vector<Warp> warps;
  Barrier barriers[kBarriers];
  Order* order = nullptr;  // of its threads; owned by Launch::races
  std::vector<u8> shared, shared_written, local;
  std::vector<InFlight> in_flight;  // of each word of shared memory; empty before the first cp.async
  s64 bytes_in_flight = 0;
  s64 unwritten = 0;  // bytes of shared memory that nobody in the block wrote yet
};

class Races;

struct Launch {
  LaunchRequest* request;
  Block* block;  // the one that runs
  s64 budget;
  s64 slept;                            // cycles of the clock beside those of instructions
  int threads;                          // of a block
  std::vector<s32> hints;               // per instruction: the allocation it touched last
  std::vector<AccessPattern> patterns;  // per instruction
  Races* races;                         // null: not asked for

  bool failed() const { return request->fault->kind != kNoFault; }
};

inline s32 pc_of(const Launch& launch, const Instruction& i) {
  return static_cast<s32>(&i - launch.request->code);
}

inline Counter& counter_of(const Launch& launch, const Instruction& i) {
  return launch.request->counters[pc_of(launch, i)];
}

// Where a lane's local memory begins.
inline u8* local_memory(const Launch& launch, const Warp& warp, int lane) {
  return launch.block->local.data() + static_cast<s64>(warp.id * kLanes + lane) * launch.request->local_limit;
}

// Records the first fault of a launch; later ones are dropped (fault.cpp).
void fail(Launch&, FaultKind, const Instruction&, const Warp&, int lane, u64 address = 0, int bytes = 0,
          s32 space = kGeneric);

// The other side of the fault that is recorded: a thread of this block, and where it is.
void tell_other(Launch&, s32 pc, s32 thread);

inline int first_lane(u32 mask) { return __builtin_ctz(mask); }
