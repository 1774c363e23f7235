#include "calls.h"

#include "frames.h"
#include "lanes.h"
#include "paths.h"
#include "undefined.h"

static void copy_local(Launch& launch, const Warp& warp, u32 mask, s32 first, s32 count, s64 source,
                       s64 target) {
  for (const Copy* copy = launch.request->copies + first; count > 0; count--, copy++) {
    each_active(mask, [&](int l) {
      u8* base = local_memory(launch, warp, l);
      memmove(base + target + copy->to, base + source + copy->from, copy->bytes);
    });
  }
}

constexpr s32 kMaxCalls = 256;
constexpr s64 kMaxFrames = 256 << 20;  // bytes of registers of a warp

bool enter_function(Launch& launch, Warp& warp, const Instruction& i, s32 pc) {
  const Function* functions = launch.request->functions;
  const Function &caller = functions[warp.function], &callee = functions[i.target];
  const Path& path = warp.path;
  const s32 local_base = warp.local_base + caller.local_bytes;
  const s32 depth = path.call < 0 ? 1 : warp.calls[static_cast<size_t>(path.call)].depth + 1;
  const s64 frame = end_of_frames(launch, warp);
  if (depth > kMaxCalls || local_base + callee.local_bytes > launch.request->local_limit ||
      frame + callee.frame_bytes > kMaxFrames) {
    fail(launch, kStack, i, warp, first_lane(path.mask));
    return false;
  }
  copy_local(launch, warp, path.mask, static_cast<s32>(i.immediate), i.vector, warp.local_base, local_base);
  const s32 call = add_call(warp, {pc + 1, path.reconverge, path.join, path.call, pc, i.target,
                                   static_cast<s32>(frame), local_base, depth, path.mask});
  warp.path.call = call;
  warp.path.pc = callee.entry;
  warp.path.join = warp.path.reconverge = -1;
  enter_path(launch, warp);
  forget_frame(warp, warp.frame);
  start_function(launch, warp, i.target);
  return true;
}

void leave_function(Launch& launch, Warp& warp) {
  CallRecord& record = warp.calls[static_cast<size_t>(warp.path.call)];
  const Instruction& site = launch.request->code[record.call_pc];
  Path& path = warp.path;
  path.pc = record.return_pc, path.reconverge = record.reconverge;
  path.join = record.join, path.call = record.caller;
  const s32 local_base = record.local_base;
  record.lanes &= ~path.mask;  // others may still be in it
  enter_path(launch, warp);
  copy_local(launch, warp, path.mask, static_cast<s32>(site.immediate) + site.vector, site.bytes, local_base,
             warp.local_base);
  drop_ended_calls(warp);
  if (!warp.undefined.empty()) forget_frame(warp, end_of_frames(launch, warp));
}
