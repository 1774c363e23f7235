#include "paths.h"

#include <algorithm>

#include "lanes.h"
#include "operations.h"
#include "waits.h"

namespace {

// Joins and calls mostly end in the order opposite to their beginnings; those that do not are found later.
template <class T>
void drop_ended(std::vector<T>& all, u32 live) {
  while (!all.empty() && !(all.back().lanes & live)) all.pop_back();
}

// Where a new one lies: at the end, or, so that the list stays short however paths alternate, in a gap.
template <class T>
s32 add(std::vector<T>& all, const T& one, u32 live) {
  constexpr size_t kMany = 64;
  size_t place = all.size();
  if (place >= kMany) {
    auto gap = std::find_if(all.begin(), all.end(), [&](const T& old) { return !(old.lanes & live); });
    place = static_cast<size_t>(gap - all.begin());
  }
  if (place == all.size()) {
    all.push_back(one);
  } else {
    all[place] = one;
  }
  return static_cast<s32>(place);
}

void go_on_behind(Warp& warp, Join& join) {
  Path& path = warp.path;
  path.pc = join.pc, path.reconverge = join.reconverge;
  path.join = join.parent, path.call = join.call;
  path.mask = join.arrived;
  path.state = PathState::kReady;
  path.spun = false;
  join.lanes = 0;
  drop_ended(warp.joins, warp.live);
}

// After lanes have exited: a join that waits for nobody any more.
bool take_join(Warp& warp) {
  for (size_t k = warp.joins.size(); k-- > 0;) {
    Join& join = warp.joins[k];
    join.lanes &= warp.live;
    if (!join.arrived || join.arrived != join.lanes) continue;
    go_on_behind(warp, join);
    return true;
  }
  drop_ended(warp.joins, warp.live);
  drop_ended(warp.calls, warp.live);
  return false;
}

void run(Warp& warp, size_t k) {
  warp.path = warp.paths[k];
  warp.paths.erase(warp.paths.begin() + static_cast<std::ptrdiff_t>(k));
}

// The path split off last that can run; `fresh`: and has not had its turn.
bool take_path(Warp& warp, bool fresh) {
  for (size_t k = warp.paths.size(); k-- > 0;) {
    const Path& path = warp.paths[k];
    if (path.state != PathState::kReady || (fresh && path.spun)) continue;
    run(warp, k);
    return true;
  }
  return false;
}

void begin_turns(Warp& warp) {
  for (Path& path : warp.paths) path.spun = false;
}

}  // namespace

void open_join(Warp& warp, s32 pc) {
  Path& path = warp.path;
  const Join join{pc, path.reconverge, path.join, path.call, path.mask, 0};
  path.join = add(warp.joins, join, warp.live);
  path.reconverge = pc;
}

void split_off(Warp& warp, s32 pc, u32 lanes) {
  if (pc == warp.path.reconverge) {
    warp.joins[static_cast<size_t>(warp.path.join)].arrived |= lanes;
    return;
  }
  Path path = warp.path;
  path.pc = pc, path.mask = lanes;
  warp.paths.push_back(path);
}

s32 add_call(Warp& warp, const CallRecord& record) {
  return add(warp.calls, record, warp.live);
}

void drop_ended_calls(Warp& warp) { drop_ended(warp.calls, warp.live); }

bool arrive(Warp& warp) {
  Join& join = warp.joins[static_cast<size_t>(warp.path.join)];
  join.arrived |= warp.path.mask;
  if (join.arrived != (join.lanes & warp.live)) return false;
  go_on_behind(warp, join);
  return true;
}

bool next_path(Launch& launch, Warp& warp) {
  for (;;) {
    if (launch.failed()) return false;
    if (warp.exited) {
      if (take_join(warp)) break;
      warp.exited = false;
    }
    if (!warp.live) {
      warp.state = WarpState::kDone;
      return false;
    }
    if (warp.waits) finish_warp_operations(launch, warp);
    if (launch.failed()) return false;
    if (take_path(warp, true) || take_path(warp, false)) break;
    if (!let_someone_run(launch, warp)) return false;
  }
  enter_path(launch, warp);
  return true;
}

bool end_turn(Launch& launch, Warp& warp) {
  warp.path.spun = true;
  warp.polls = 0;
  warp.paths.insert(warp.paths.begin(), warp.path);
  if (++warp.turns == kMostTurns) {
    begin_turns(warp);
    return false;
  }
  bool found = take_path(warp, true);
  if (!found) begin_turns(warp);
  for (size_t k = warp.joins.size(); warp.polled && !found && k-- > 0;) {
    Join& join = warp.joins[k];
    if (!join.arrived || !(join.lanes & warp.live)) continue;
    release(warp, join);
    found = take_path(warp, true);
  }
  if (found) enter_path(launch, warp);
  return found;
}

bool polls_in_vain(Warp& warp, char* frame, u32 mask, const Instruction& i, s32 pc) {
  warp.polled = true;
  if (i.op == OP_atom && i.d < 0) return false;
  u64 sight = mask;
  auto see = [&](s32 slot, int bytes) {
    if (slot < 0) return;
    each_active(mask, [&](int l) {
      u64 x = bytes == 8 ? lanes<u64>(frame, slot)[l] : lanes<u32>(frame, slot)[l];
      sight = (sight ^ x) * 0x9e3779b97f4a7c15ull;
      sight ^= sight >> 29;
    });
  };
  if (i.address_bytes) see(i.a, i.address_bytes);
  if (i.op == OP_atom) see(i.d, i.bytes);
  if (i.op == OP_ld) {
    for (int v = 0; v < i.vector; v++) see(i.values[v], i.bytes == 8 ? 8 : 4);
  }
  const bool again = warp.poll_pc == pc && warp.poll_sight == sight;
  warp.poll_pc = pc, warp.poll_sight = sight;
  warp.polls = again ? warp.polls + 1 : 0;
  return warp.polls >= kPolls;
}

void release(Warp& warp, Join& join) {
  Path path;
  path.pc = join.pc, path.reconverge = join.reconverge;
  path.join = join.parent, path.call = join.call;
  path.mask = join.arrived;
  join.lanes &= ~join.arrived;
  join.arrived = 0;
  warp.paths.push_back(path);
}

void merge_paths(Warp& warp) {
  std::vector<Path>& all = warp.paths;
  for (size_t k = 0; k < all.size(); k++) {
    for (size_t n = all.size(); --n > k;) {
      const Path &x = all[k], &y = all[n];
      if (x.state != PathState::kReady || y.state != PathState::kReady || x.pc != y.pc ||
          x.reconverge != y.reconverge || x.join != y.join || x.call != y.call)
        continue;
      all[k].mask |= y.mask;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(n));
    }
  }
}

s32 frame_of(const Warp& warp, const Path& path) {
  return path.call < 0 ? 0 : warp.calls[static_cast<size_t>(path.call)].frame;
}

void enter_path(const Launch& launch, Warp& warp) {
  if (warp.path.call < 0) {
    warp.function = kKernel;
    warp.frame = warp.local_base = 0;
    return;
  }
  const CallRecord& call = warp.calls[static_cast<size_t>(warp.path.call)];
  warp.function = call.function, warp.frame = call.frame, warp.local_base = call.local_base;
}

s32 end_of_frames(const Launch& launch, const Warp& warp) {
  const Function* functions = launch.request->functions;
  s32 end = functions[kKernel].frame_bytes;
  for (const CallRecord& call : warp.calls) {
    if (call.lanes & warp.live) end = std::max(end, call.frame + functions[call.function].frame_bytes);
  }
  return end;
}

bool leads_to(const Warp& warp, const Path& path, s32 goal) {
  s32 join = path.join, call = path.call;
  for (;;) {
    if (join == goal) return true;
    if (join >= 0) {
      call = warp.joins[static_cast<size_t>(join)].call;
      join = warp.joins[static_cast<size_t>(join)].parent;
    } else if (call >= 0) {
      join = warp.calls[static_cast<size_t>(call)].join;
      call = warp.calls[static_cast<size_t>(call)].caller;
    } else {
      return false;
    }
  }
}
