// Races: accesses of two threads to the same bytes, one of them a write, that nothing orders.
//
// The scheduler tells what orders threads (barriers, fences), memory operations what they touch; the first race
// found is a fault. Where nobody asked for races, `launch.races` is null and none of this is called.
// Strong accesses do not race with each other. Writes of what is there already are not reported: several threads
// that set the same flag do no harm on any GPU.
// Most reads of shared memory have a barrier before the next write. So a read is put down, and marks its cells only
// when somebody writes to shared memory or something else than a barrier of the whole block orders threads.
#pragma once
#include <memory>

#include "lockstep.h"
#include "order.h"

// A launch that takes more is no longer looked at.
constexpr Moment kMostAccesses = 1u << 25;

struct Spot;

class Races {
 public:
  // The current block starts.
  void begin_block(Launch&);

  // A warp arrives at a barrier of the block and goes on.
  void arrive(Launch&, const Warp&, s32 barrier);

  // A barrier of the block opens: what all warps in `arrived` (bit by number) did before they came is seen by those
  // that waited. `everybody`: by all threads that still run.
  void block_barrier(Launch&, s32 barrier, u32 arrived, u32 waited, bool everybody);

  // The lanes met at a barrier of the warp.
  void warp_barrier(Launch&, Warp&, u32 lanes);

  // The lanes exchanged values: a shuffle, vote, match or reduction.
  void met(Launch&, const Warp&, u32 lanes);

  // A fence; `scope`: 0 block, 1 device, 2 system.
  void fence(Launch&, Warp&, u32 lanes, int scope);

  // Lanes touch memory; `strong`: volatile, relaxed or stronger, or an atomic. False, and a fault, at a race.
  // `address` has offsets of shared memory, and is a multiple of the largest power of two that divides `bytes`.
  // What it says for a lane whose bit is clear lies in some page of memory, too.
  bool access(Launch&, Warp&, const Instruction&, s32 space, const u64* address, u32 lanes, int bytes,
              bool write, bool strong);

 private:
  struct Access {
    u32 block;
    s32 pc;
    u8 warp;
    bool strong, of_block, write;
  };
  // All accesses of a launch, by number; 0 is none. Reserved at once, as only what is used takes room; the thread's
  // next launch has the same memory.
  class Log {
   public:
    Log();
    ~Log();
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;
    Moment size() const { return size_; }
    void add(const Access& access) { accesses_[size_++] = access; }
    const Access& operator[](Moment number) const { return accesses_[number]; }

   private:
    Pages pages_;
    Access* accesses_;
    Moment size_ = 1;
  };
  struct Visit;  // one call of access()

  Moment number(Launch&, const Visit&);
  Moment now() const { return log_.size(); }
  bool full() const;
  bool touch(Launch&, const Visit&, Cells&, const Spot&);
  bool over(const Visit&, const Span&) const;
  bool quiet(const Visit&, const Mark*, const Spot&) const;
  bool loud(const Visit&, const Mark*, const Spot&) const;
  bool settle(Launch&, const Visit&, const Mark*, const Spot&, bool writes);
  void keep_strong(const Visit&, Cells&, Shadow&, const Spot&);
  void postpone(Launch&, const Visit&);
  void recall(Launch&);
  void remember_reads(const Visit&, Cells&, Shadow&, const Spot&);
  bool known(const Visit&, Mark, int lane) const;
  bool met_since(const Visit&, Mark) const;
  bool strong_together(const Visit&, Mark) const;
  bool harmless(Launch&, const Visit&, Mark, int lane) const;
  bool lockstep(Launch&, const Visit&);
  void report(Launch&, const Visit&, Mark, int lane, s32 detail);

  Views views_;
  Flags flags_;
  Shadow global_;
  Log log_;
  std::unordered_map<u64, LockstepStore> stores_;  // by block and warp; looked up by key
  std::vector<Moment> last_;  // of each instruction: its last access
  std::vector<std::unique_ptr<Order>> orders_;
  u32 running_ = 0;        // the block that touched memory last
  Moment alone_since_ = 1;  // and since when no other did
};
