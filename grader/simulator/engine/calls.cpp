#include "calls.h"

#include "lanes.h"
#include "frames.h"
#include "undefined.h"

static void copy_local(Launch& launch, const Warp& warp, u32 mask, s32 first, s32 count, s64 source,
                       s64 target) {
  s32 limit = launch.request->local_limit;
  for (const Copy* copy = launch.request->copies + first; count > 0; count--, copy++) {
    each_active(mask, [&](int l) {
      u8* base = launch.block->local.data() + static_cast<s64>(warp.id * kLanes + l) * limit;
      memmove(base + target + copy->to, base + source + copy->from, copy->bytes);
    });
  }
}

constexpr size_t kMaxCalls = 256;

bool enter_function(Launch& launch, Warp& warp, u32 mask, const Instruction& i, s32 pc) {
  const Function* functions = launch.request->functions;
  const Function &caller = functions[warp.function], &callee = functions[i.target];
  s32 local_base = warp.local_base + caller.local_bytes;
  if (warp.calls.size() >= kMaxCalls || local_base + callee.local_bytes > launch.request->local_limit) {
    fail(launch, kStack, i, warp, first_lane(mask));
    return false;
  }
  warp.calls.push_back(
      {pc + 1, warp.reconverge, mask, warp.function, warp.frame, warp.local_base, pc, warp.paths.size()});
  copy_local(launch, warp, mask, i.immediate, i.vector, warp.local_base, local_base);
  warp.frame += caller.frame_bytes;
  warp.local_base = local_base;
  forget_frame(warp, warp.frame);
  return start_function(launch, warp, i.target);
}

CallRecord leave_function(Launch& launch, Warp& warp) {
  CallRecord record = warp.calls.back();
  warp.calls.pop_back();
  forget_frame(warp, warp.frame);
  const Instruction& site = launch.request->code[record.call_pc];
  copy_local(launch, warp, record.mask & warp.live, static_cast<s32>(site.immediate) + site.vector, site.bytes,
             warp.local_base, record.local_base);
  warp.function = record.function, warp.frame = record.frame, warp.local_base = record.local_base;
  return record;
}
