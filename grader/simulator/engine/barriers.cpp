#include "barriers.h"

#include "lanes.h"
#include "paths.h"
#include "races.h"

namespace {

enum BarrierDetail : s32 { kNotByAll = 0, kTwoBarriers, kBadOperand };

struct Arrival {
  s32 number, count;
};

// The barrier that a path's lanes name; number -1 where they name none or several.
Arrival arrival_of(const Launch& launch, Warp& warp, const Path& path) {
  const Instruction& i = launch.request->code[path.pc];
  if (i.immediate >= 0) return {static_cast<s32>(i.immediate), 0};  // __syncthreads()
  char* frame = warp.registers.data() + frame_of(warp, path);
  const int first = first_lane(path.mask);
  const u32* number = lanes<u32>(frame, i.b);
  const u32* count = i.c < 0 ? nullptr : lanes<u32>(frame, i.c);
  bool fine = number[first] < kBarriers && (!count || (count[first] % kLanes == 0 && count[first] <= 1024));
  fine &= i.mode != kBarArrive || (count && count[first]);
  each_active(path.mask, [&](int l) {
    fine &= number[l] == number[first] && (!count || count[l] == count[first]);
  });
  if (!fine) return {-1, 0};
  return {static_cast<s32>(number[first]), count ? static_cast<s32>(count[first]) : 0};
}

// CUDA C++ asks more than PTX: all threads of the block reach the same __syncthreads(), not just one of them.
bool is_syncthreads(const Instruction& i, const Arrival& arrival) {
  return !i.vector && arrival.number == 0 && arrival.count == 0;
}

void fail_barrier(Launch& launch, const Warp& warp, s32 pc, int lane, s32 detail, s32 other_pc = -1,
                  s32 other_thread = -1) {
  fail(launch, kBarrier, launch.request->code[pc], warp, lane);
  launch.request->fault->detail = detail;
  tell_other(launch, other_pc, other_thread);
}

bool waits_at(const Path& path, s32 number) {
  return path.state == PathState::kAtBarrier && path.number == number;
}

// What bar.red makes of the predicates of all that wait.
void combine(Launch& launch, Block& block, s32 number) {
  u32 count = 0, voters = 0;
  auto each_path = [&](auto body) {
    for (Warp& warp : block.warps) {
      for (const Path& path : warp.paths) {
        if (waits_at(path, number)) body(warp, path);
      }
    }
  };
  each_path([&](Warp&, const Path& path) {
    count += static_cast<u32>(__builtin_popcount(path.vote));
    voters += static_cast<u32>(__builtin_popcount(path.mask));
  });
  each_path([&](Warp& warp, const Path& path) {
    const Instruction& i = launch.request->code[path.pc];
    char* frame = warp.registers.data() + frame_of(warp, path);
    if (i.mode == kBarPopc) each_active(path.mask, [&](int l) { lanes<u32>(frame, i.d)[l] = count; });
    if (i.mode == kBarAnd) set_predicate(frame, i.d, path.mask, count == voters ? kAllLanes : 0u);
    if (i.mode == kBarOr) set_predicate(frame, i.d, path.mask, count ? kAllLanes : 0u);
  });
}

void open(Launch& launch, Block& block, s32 number) {
  Barrier& barrier = block.barriers[number];
  if (barrier.kind != kBarSync) combine(launch, block, number);
  u32 waited = 0;
  for (Warp& warp : block.warps) {
    if (!(barrier.warps >> warp.id & 1)) continue;
    for (Path& path : warp.paths) {
      if (!waits_at(path, number)) continue;
      path.state = PathState::kReady;
      path.spun = false;
      path.pc++;
      waited |= 1u << warp.id;
      warp.state = WarpState::kRunning;
      warp.waits = false;
    }
    if (warp.paths.size() > 1) merge_paths(warp);
  }
  if (launch.races) launch.races->block_barrier(launch, number, barrier.warps, waited, !barrier.count);
  barrier = Barrier{};
}

}  // namespace

bool come_to_barrier(Launch& launch, Warp& warp) {
  const Instruction* code = launch.request->code;
  const Path& first = warp.paths[0];
  const Instruction& i = code[first.pc];
  const Arrival arrival = arrival_of(launch, warp, first);
  for (Path& path : warp.paths) {
    const Instruction& other = code[path.pc];
    const Arrival own = &path == &first ? arrival : arrival_of(launch, warp, path);
    if (own.number < 0) {
      fail_barrier(launch, warp, path.pc, first_lane(path.mask), kBadOperand);
      return false;
    }
    const bool together = path.pc == first.pc || (i.vector && other.vector);
    if (!together || own.number != arrival.number || own.count != arrival.count || other.mode != i.mode) {
      fail_barrier(launch, warp, first.pc, first_lane(first.mask), kTwoBarriers, path.pc,
                   warp.id * kLanes + first_lane(path.mask));
      return false;
    }
    path.number = own.number;
  }
  Block& block = *launch.block;
  Barrier& barrier = block.barriers[arrival.number];
  const s32 kind = i.mode == kBarArrive ? kBarSync : i.mode;
  if (!barrier.arrived) {
    barrier = {kind, arrival.count, 0, 0, first.pc, warp.id * kLanes + first_lane(first.mask)};
  } else if (barrier.kind != kind || barrier.count != arrival.count ||
             (is_syncthreads(i, arrival) && barrier.pc != first.pc)) {
    fail_barrier(launch, warp, first.pc, first_lane(first.mask), kTwoBarriers, barrier.pc, barrier.thread);
    return false;
  }
  barrier.arrived += kLanes;
  barrier.warps |= 1u << warp.id;
  warp.state = WarpState::kAtBarrier;
  if (i.mode == kBarArrive) {
    if (launch.races) launch.races->arrive(launch, warp, arrival.number);
    for (Path& path : warp.paths) path.state = PathState::kReady, path.pc++;
    warp.state = WarpState::kRunning;
    warp.waits = false;
  }
  if (barrier.count && barrier.arrived >= barrier.count) open(launch, block, arrival.number);
  return warp.state == WarpState::kRunning;
}

bool open_barriers(Launch& launch, Block& block) {
  u32 live = 0;
  for (const Warp& warp : block.warps) live |= warp.state == WarpState::kDone ? 0u : 1u << warp.id;
  bool any = false;
  for (s32 n = 0; n < kBarriers; n++) {
    const Barrier& barrier = block.barriers[n];
    if (!barrier.arrived || barrier.count || (live & ~barrier.warps)) continue;
    open(launch, block, n);
    any = true;
  }
  return any;
}

void fail_deadlock(Launch& launch, Block& block) {
  const Warp *first = nullptr, *other = nullptr;
  for (const Warp& warp : block.warps) {
    if (warp.state != WarpState::kAtBarrier) continue;
    if (!first) first = &warp;
    if (!other && warp.paths[0].number != first->paths[0].number) other = &warp;
  }
  const Path& path = first->paths[0];
  const Barrier& barrier = block.barriers[path.number];
  fail(launch, kDeadlock, launch.request->code[path.pc], *first, first_lane(path.mask),
       static_cast<u64>(path.number), barrier.arrived);
  launch.request->fault->detail = barrier.count;
  if (other) tell_other(launch, other->paths[0].pc, other->id * kLanes + first_lane(other->paths[0].mask));
}
