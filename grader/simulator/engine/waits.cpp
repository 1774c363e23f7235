#include "waits.h"

#include "barriers.h"
#include "collectives.h"
#include "lanes.h"
#include "matrix.h"
#include "operations.h"
#include "paths.h"
#include "races.h"

namespace {

// The register of the mask; -1: an operation of the whole warp.
s32 mask_slot(const Instruction& i) {
  switch (i.op) {
    case OP_bar_warp: return i.a;
    case OP_shfl:
    case OP_vote:
    case OP_match:
    case OP_redux: return i.e;
    default: return -1;
  }
}

// `other_pc`: where the lane `other_lane` of the warp waits; -1: nowhere.
void fail_shuffle(Launch& launch, const Warp& warp, s32 pc, int lane, u32 named, s32 detail, s32 other_pc,
                  int other_lane) {
  if (launch.failed()) return;
  fail(launch, kShuffle, launch.request->code[pc], warp, lane, named);
  launch.request->fault->detail = mask_slot(launch.request->code[pc]) < 0 ? kNotAll : detail;
  tell_other(launch, other_pc, warp.id * kLanes + other_lane);
}

// Copies the lanes in `mask` of what the operation reads, or writes, from one frame to another.
void copy_operands(const Instruction& i, u32 mask, char* from, char* to, bool results) {
  auto bits = [&](s32 slot) {
    if (slot >= 0) set_predicate(to, slot, mask, predicate(from, slot));
  };
  auto values = [&](s32 slot, int bytes) {
    if (slot < 0) return;
    each_active(mask, [&](int l) {
      if (bytes == 8) {
        lanes<u64>(to, slot)[l] = lanes<u64>(from, slot)[l];
      } else {
        lanes<u32>(to, slot)[l] = lanes<u32>(from, slot)[l];
      }
    });
  };
  const bool votes = i.op == OP_vote;
  if (results) {
    if (votes && i.mode != kVoteBallot) {
      bits(i.d);
    } else {
      values(i.d, 4);
    }
    bits(i.values[0]);
    return;
  }
  if (votes) {
    bits(i.a);
  } else {
    values(i.a, i.op == OP_match ? i.bytes : 4);
  }
  values(i.b, 4);
  values(i.c, 4);
  values(i.e, 4);
}

// One operation of paths whose calls differ: in a frame of its own.
void operate_across_frames(Launch& launch, Warp& warp, u32 group, const Instruction& i,
                           const std::vector<size_t>& members) {
  if (i.op != OP_shfl && i.op != OP_vote && i.op != OP_match && i.op != OP_redux)
    return fail(launch, kUnsupported, i, warp, first_lane(group));
  const Path& first = warp.paths[members[0]];
  const s32 function =
      first.call < 0 ? kKernel : warp.calls[static_cast<size_t>(first.call)].function;
  const s32 own = warp.frame, scratch = end_of_frames(launch, warp);
  const size_t bytes = static_cast<size_t>(launch.request->functions[function].frame_bytes);
  warp.registers.grow(static_cast<size_t>(scratch) + bytes);
  char* registers = warp.registers.data();
  memcpy(registers + scratch, registers + frame_of(warp, first), bytes);
  for (size_t k : members) {
    const Path& path = warp.paths[k];
    copy_operands(i, path.mask, registers + frame_of(warp, path), registers + scratch, false);
  }
  warp.frame = scratch;
  warp_operation(launch, warp, registers + scratch, group, i);
  warp.frame = own;
  for (size_t k : members) {
    const Path& path = warp.paths[k];
    copy_operands(i, path.mask, registers + scratch, registers + frame_of(warp, path), true);
  }
}

// Those that wait at the same operation as this path, itself included.
std::vector<size_t> meeting(const Warp& warp, const Instruction* code, const Path& path) {
  std::vector<size_t> members;
  for (size_t k = 0; k < warp.paths.size(); k++) {
    const Path& other = warp.paths[k];
    const bool same = other.pc == path.pc || (code[other.pc].op == OP_bar_warp && code[path.pc].op == OP_bar_warp);
    if (other.state == PathState::kAtSync && other.named == path.named && same) members.push_back(k);
  }
  return members;
}

u32 lanes_of(const Warp& warp, const std::vector<size_t>& members) {
  u32 lanes = 0;
  for (size_t k : members) lanes |= warp.paths[k].mask;
  return lanes;
}

bool finish_one(Launch& launch, Warp& warp) {
  for (const Path& path : warp.paths) {
    if (path.state != PathState::kAtSync) continue;
    const std::vector<size_t> members = meeting(warp, launch.request->code, path);
    const u32 group = lanes_of(warp, members);
    if (path.named & warp.live & ~group) continue;
    const Instruction& i = launch.request->code[path.pc];
    warp.awaited &= ~group;
    for (const Path& other : warp.paths) {  // lanes at this very call with another mask still wait for these
      if (other.state == PathState::kAtSync && other.pc == path.pc && other.named != path.named)
        warp.awaited |= other.named & group;
    }
    bool one_frame = true;
    for (size_t k : members) one_frame &= frame_of(warp, warp.paths[k]) == frame_of(warp, path);
    if (one_frame || i.op == OP_bar_warp) {
      warp.frame = frame_of(warp, path);
      warp_operation(launch, warp, warp.registers.data() + warp.frame, group, i);
    } else {
      operate_across_frames(launch, warp, group, i, members);
    }
    for (size_t k : members) {
      warp.paths[k].state = PathState::kReady;
      warp.paths[k].spun = false;
      warp.paths[k].pc++;
    }
    merge_paths(warp);
    return true;
  }
  return false;
}

// The waiting path that lanes which wait at a join make wait in vain; null: none.
const Path* forsaken(const Launch& launch, const Warp& warp, s32 join, u32 arrived) {
  for (const Path& path : warp.paths) {
    const Instruction& i = launch.request->code[path.pc];
    const bool needs = path.state == PathState::kAtSync ? i.op != OP_bar_warp && (path.named & arrived)
                                                        : path.state == PathState::kAtBarrier && !i.vector;
    if (needs && leads_to(warp, path, join)) return &path;
  }
  return nullptr;
}

// Lets lanes leave the innermost join: others of the warp wait for them somewhere else.
bool leave_some_join(Launch& launch, Warp& warp) {
  const Instruction* code = launch.request->code;
  size_t innermost = warp.joins.size();
  for (size_t k = warp.joins.size(); k-- > 0;) {
    Join& join = warp.joins[k];
    if (!join.arrived || !(join.lanes & warp.live)) continue;
    if (code[join.pc].op == OP_exit && code[join.pc].guard < 0) {  // nothing is left to do but to exit
      release(warp, join);
      return true;
    }
    if (innermost == warp.joins.size()) innermost = k;
  }
  if (innermost == warp.joins.size()) return false;
  Join& join = warp.joins[innermost];
  if (const Path* path = forsaken(launch, warp, static_cast<s32>(innermost), join.arrived)) {
    if (path->state == PathState::kAtSync) {
      const int lane = first_lane(path->named & join.arrived);
      fail_shuffle(launch, warp, path->pc, lane, path->named, kAbsent, -1, 0);
    } else {
      fail(launch, kBarrier, code[path->pc], warp, first_lane(warp.live & ~path->mask));
    }
    return false;
  }
  for (const Path& path : warp.paths) {
    if (path.state == PathState::kAtSync && leads_to(warp, path, static_cast<s32>(innermost)))
      warp.awaited |= path.named & join.arrived;
  }
  release(warp, join);
  return true;
}

// Every lane of the warp waits, at several places: says who waits for whom.
void fail_stuck(Launch& launch, Warp& warp) {
  const Instruction* code = launch.request->code;
  const Path* first = &warp.paths[0];  // at a warp operation, with the lowest lane of those
  for (const Path& path : warp.paths) {
    const bool better = path.state != first->state ? path.state == PathState::kAtSync
                                                   : first_lane(path.mask) < first_lane(first->mask);
    if (better) first = &path;
  }
  const u32 absent = first->named & warp.live & ~lanes_of(warp, meeting(warp, code, *first));
  const int lane = first_lane(absent);
  for (const Path& path : warp.paths) {
    if (!(path.mask >> lane & 1)) continue;
    s32 detail = kAbsent;
    if (path.state == PathState::kAtSync && path.named & first->mask)
      detail = path.named != first->named ? kOtherMask : kOtherCall;
    return fail_shuffle(launch, warp, first->pc, lane, first->named, detail, path.pc, lane);
  }
  fail_shuffle(launch, warp, first->pc, lane, first->named, kAbsent, -1, 0);
}

}  // namespace

bool all_here(const Warp& warp, char* frame, u32 active, const Instruction& i) {
  const s32 slot = mask_slot(i);
  if (slot < 0) return active == warp.live;  // an operation of the whole warp
  const u32* masks = lanes<u32>(frame, slot);
  u32 different = 0, first = masks[first_lane(active)];
  EACH_LANE different |= (active >> l & 1) ? masks[l] ^ first : 0;
  if (!different) return !(first & warp.live & ~active) && !(active & ~first);
  bool fine = true;  // groups of lanes, each with its own mask
  each_active(active, [&](int l) {
    const u32 named = masks[l];
    fine &= (named >> l & 1) && !(named & warp.live & ~active);
    each_active(named & active, [&](int k) { fine &= masks[k] == named; });
  });
  return fine;
}

void warp_operation(Launch& launch, Warp& warp, char* frame, u32 lanes, const Instruction& i) {
  if (launch.races && i.op != OP_bar_warp) launch.races->met(launch, warp, lanes);
  switch (i.op) {
    case OP_shfl: return shuffle(launch, warp, frame, lanes, i);
    case OP_vote: return vote(launch, warp, frame, lanes, i);
    case OP_match: return match(launch, warp, frame, lanes, i);
    case OP_redux: return reduce(launch, warp, frame, lanes, i);
    case OP_mma: return multiply_matrices(launch, warp, frame, lanes, i);
    case OP_wmma_load: return move_fragment(launch, warp, frame, lanes, i, false);
    case OP_wmma_store: return move_fragment(launch, warp, frame, lanes, i, true);
    case OP_ldmatrix: return move_rows(launch, warp, frame, lanes, i, false);
    case OP_stmatrix: return move_rows(launch, warp, frame, lanes, i, true);
    case OP_movmatrix: return transpose_matrix(launch, warp, frame, lanes, i);
    default:
      if (launch.races) launch.races->warp_barrier(launch, warp, lanes);
  }
}

void wait_for_lanes(Launch& launch, Warp& warp, char* frame, u32 active, const Instruction& i) {
  const s32 slot = mask_slot(i), pc = warp.path.pc;
  const u32* masks = slot < 0 ? nullptr : lanes<u32>(frame, slot);
  each_active(active, [&](int l) {
    if (masks && !(masks[l] >> l & 1)) fail_shuffle(launch, warp, pc, l, masks[l], kNotNamed, -1, 0);
  });
  if (warp.path.mask & ~active) split_off(warp, pc + 1, warp.path.mask & ~active);
  for (u32 left = active; left;) {
    const u32 named = masks ? masks[first_lane(left)] : kAllLanes;
    u32 same = 0;
    each_active(left, [&](int l) { same |= static_cast<u32>(!masks || masks[l] == named) << l; });
    Path path = warp.path;
    path.mask = same, path.named = named, path.state = PathState::kAtSync;
    warp.paths.push_back(path);
    left &= ~same;
  }
  warp.waits = true;
}

void finish_warp_operations(Launch& launch, Warp& warp) {
  while (!launch.failed() && finish_one(launch, warp)) {
  }
  warp.waits = false;
  for (const Path& path : warp.paths) warp.waits |= path.state != PathState::kReady;
}

void wait_at_barrier(Warp& warp, u32 active, u32 vote) {
  if (warp.path.mask & ~active) split_off(warp, warp.path.pc + 1, warp.path.mask & ~active);
  Path path = warp.path;
  path.mask = active, path.vote = vote, path.state = PathState::kAtBarrier;
  warp.paths.push_back(path);
  warp.waits = true;
}

bool let_someone_run(Launch& launch, Warp& warp) {
  if (leave_some_join(launch, warp)) return true;
  if (launch.failed()) return false;
  u32 at_barrier = 0;
  for (const Path& path : warp.paths) at_barrier |= path.state == PathState::kAtBarrier ? path.mask : 0;
  if (at_barrier == warp.live) return come_to_barrier(launch, warp);
  fail_stuck(launch, warp);
  return false;
}

void fail_awaited(Launch& launch, Warp& warp, u32 lanes) {
  for (const Path& path : warp.paths) {
    if (path.state != PathState::kAtSync || !(path.named & lanes)) continue;
    const int lane = first_lane(path.named & lanes);
    return fail_shuffle(launch, warp, path.pc, lane, path.named, kAbsent, -1, 0);
  }
}
