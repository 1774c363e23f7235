#include "lockstep.h"

#include <algorithm>

#include "lanes.h"
#include "operations.h"

namespace {

// Calls `visit` for each instruction that may come behind `pc` before something is stored.
template <class F>
void walk(const Launch& launch, s32 pc, F visit) {
  const LaunchRequest& request = *launch.request;
  std::vector<bool> seen(static_cast<size_t>(request.code_count));
  std::vector<s32> open{pc + 1};
  while (!open.empty()) {
    const s32 at = open.back();
    open.pop_back();
    if (at >= request.code_count || seen[static_cast<size_t>(at)]) continue;
    seen[static_cast<size_t>(at)] = true;
    const Instruction& i = request.code[at];
    visit(at);
    if (i.op == OP_st || i.op == OP_atom || i.op == OP_leave) continue;
    if (i.op == OP_bra) open.push_back(i.target);
    for (s32 k = 0; i.op == OP_brx && k < i.vector; k++) open.push_back(request.lists[i.target + k]);
    if (i.guard >= 0 || (i.op != OP_bra && i.op != OP_exit)) open.push_back(at + 1);
  }
}

bool comes_again(const Launch& launch, s32 pc) {
  bool again = false;
  walk(launch, pc, [&](s32 at) { again |= at == pc; });
  return again;
}

}  // namespace

LockstepStore::LockstepStore(Moment moment, u32 lanes, const u64* address) : moment(moment), lanes(lanes) {
  std::copy(address, address + kLanes, this->address);
  std::fill(awaited, awaited + kLanes, ~0ull);
}

int relies_on(const LockstepStore& store, const Order& order, const Warp& warp, const u64* address, u32 lanes,
              int lane) {
  if (!store.moment || !(store.lanes >> lane & 1) || store.address[lane] == address[lane]) return -1;
  if (store.awaited[lane] == address[lane]) return -1;
  if (store.moment < order.met(warp.id)) return -1;
  for (u32 rest = store.lanes & lanes & ~(1u << lane); rest; rest &= rest - 1) {
    const int other = first_lane(rest);
    if (store.address[other] == address[lane] &&
        !order.knows(warp.id, lane, order.block(), warp.id, other, store.moment, false))
      return other;
  }
  return -1;
}

bool polls(const Launch& launch, s32 pc) {
  bool found = comes_again(launch, pc);
  walk(launch, pc, [&](s32 at) {
    const Instruction& i = launch.request->code[at];
    found = found || (i.op == OP_ld && (i.flags & kStrong) && comes_again(launch, at));
  });
  return found;
}
