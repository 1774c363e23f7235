// What stops a launch: the first fault is kept, with the thread and its calls.
#include "state.h"

// The call that a lane's path is in; -1: none.
static s32 call_of(const Warp& warp, int lane) {
  for (const Path& path : warp.paths) {
    if (path.mask >> lane & 1) return path.call;
  }
  return warp.path.call;
}

void fail(Launch& launch, FaultKind kind, const Instruction& i, const Warp& warp, int lane, u64 address,
          int bytes, s32 space) {
  FaultRecord& fault = *launch.request->fault;
  if (fault.kind) return;
  fault.kind = kind;
  fault.pc = pc_of(launch, i);
  fault.thread = warp.id * kLanes + lane;
  fault.space = space;
  fault.bytes = bytes;
  fault.address = address;
  for (int k = 0; k < 3; k++) fault.block[k] = launch.block->place[k];
  s32 call = call_of(warp, lane);
  for (s32& caller : fault.callers) {
    caller = call < 0 ? -1 : warp.calls[static_cast<size_t>(call)].call_pc;
    if (call >= 0) call = warp.calls[static_cast<size_t>(call)].caller;
  }
}

void tell_other(Launch& launch, s32 pc, s32 thread) {
  FaultRecord& fault = *launch.request->fault;
  fault.other_pc = pc;
  fault.other_thread = thread;
  for (int k = 0; k < 3; k++) fault.other_block[k] = launch.block->place[k];
}
