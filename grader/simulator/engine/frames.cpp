#include "frames.h"

namespace {

enum SpecialKind : s32 {
  kTidX = 0,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kLanemaskEq,
  kLanemaskLt,
  kLanemaskLe,
  kLanemaskGt,
  kLanemaskGe,
  kDynamicShared,
  kTotalShared,
  kSmid,
  kNsmid,
};

u32 special_value(const Launch& launch, const Warp& warp, s32 kind, int lane) {
  const LaunchRequest& r = *launch.request;
  u32 thread = static_cast<u32>(warp.id * kLanes + lane), x = static_cast<u32>(r.block[0]),
      y = static_cast<u32>(r.block[1]);
  u32 bit = 1u << lane;
  switch (kind) {
    case kTidX: return thread % x;
    case kTidY: return thread / x % y;
    case kTidZ: return thread / (x * y);
    case kNtidX:
    case kNtidY:
    case kNtidZ: return static_cast<u32>(r.block[kind - kNtidX]);
    case kCtaidX:
    case kCtaidY:
    case kCtaidZ: return static_cast<u32>(launch.block->place[kind - kCtaidX]);
    case kNctaidX:
    case kNctaidY:
    case kNctaidZ: return static_cast<u32>(r.grid[kind - kNctaidX]);
    case kLaneid: return static_cast<u32>(lane);
    case kWarpid: return static_cast<u32>(warp.id);
    case kNwarpid: return static_cast<u32>((launch.threads + kLanes - 1) / kLanes);
    case kLanemaskEq: return bit;
    case kLanemaskLt: return bit - 1;
    case kLanemaskLe: return bit | (bit - 1);
    case kLanemaskGt: return ~(bit | (bit - 1));
    case kLanemaskGe: return ~(bit - 1);
    case kDynamicShared: return static_cast<u32>(r.dynamic_shared_bytes);
    case kTotalShared: return static_cast<u32>(r.shared_bytes);
    case kSmid: return static_cast<u32>(launch.block->number % kMultiprocessors);
    default: return kMultiprocessors;
  }
}

bool changes_with_block(s32 kind) { return (kind >= kCtaidX && kind <= kCtaidZ) || kind == kSmid; }

void fill_specials(Launch& launch, Warp& warp, const Function& function, char* frame) {
  const Special* special = launch.request->specials + function.first_special;
  for (s32 k = 0; k < function.specials; k++, special++) {
    u32* d = reinterpret_cast<u32*>(frame + special->slot);
    for (int l = 0; l < kLanes; l++) d[l] = special_value(launch, warp, special->kind, l);
  }
}

}  // namespace

void fill_block_specials(Launch& launch, Warp& warp, const Function& function) {
  const Special* special = launch.request->specials + function.first_special;
  for (s32 k = 0; k < function.specials; k++, special++) {
    if (!changes_with_block(special->kind)) continue;
    u32* d = reinterpret_cast<u32*>(warp.registers.data() + special->slot);
    u32 value = special_value(launch, warp, special->kind, 0);
    for (int l = 0; l < kLanes; l++) d[l] = value;
  }
}

void start_function(Launch& launch, Warp& warp, int function) {
  const Function& f = launch.request->functions[function];
  warp.registers.grow(static_cast<size_t>(warp.frame) + static_cast<size_t>(f.frame_bytes));
  char* frame = warp.registers.data() + warp.frame;
  memcpy(frame, launch.request->images + f.image, static_cast<size_t>(f.frame_bytes));
  warp.function = function;
  fill_specials(launch, warp, f, frame);
}
