// A launch: block after block, and in a block warp after warp from barrier to barrier. A warp that runs for
// long without reaching one lets the others have their turn, as it may wait for them. The order is fixed, so
// that the same launch always gives the same bytes and counters.
#include <algorithm>

#include "types.h"

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
    case kCtaidZ: return static_cast<u32>(launch.block[kind - kCtaidX]);
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
    default: return static_cast<u32>(r.shared_bytes);
  }
}

bool changes_with_block(s32 kind) { return kind >= kCtaidX && kind <= kCtaidZ; }

void fill_specials(Launch& launch, Warp& warp, const Function& function, char* frame) {
  const Special* special = launch.request->specials + function.first_special;
  for (s32 k = 0; k < function.specials; k++, special++) {
    u32* d = reinterpret_cast<u32*>(frame + special->slot);
    for (int l = 0; l < kLanes; l++) d[l] = special_value(launch, warp, special->kind, l);
  }
}

void fill_block_specials(Launch& launch, Warp& warp, const Function& function) {
  const Special* special = launch.request->specials + function.first_special;
  for (s32 k = 0; k < function.specials; k++, special++) {
    if (!changes_with_block(special->kind)) continue;
    u32* d = reinterpret_cast<u32*>(warp.registers.data() + special->slot);
    u32 value = special_value(launch, warp, special->kind, 0);
    for (int l = 0; l < kLanes; l++) d[l] = value;
  }
}

// Finishes a barrier that every running warp has reached: combines the votes of bar.red.
void release_barrier(Launch& launch, std::vector<Warp>& warps) {
  u32 count = 0, voters = 0;
  for (const Warp& warp : warps) {
    if (warp.state != WarpState::kAtBarrier) continue;
    count += static_cast<u32>(__builtin_popcount(warp.barrier_vote));
    voters += static_cast<u32>(__builtin_popcount(warp.live));
  }
  for (Warp& warp : warps) {
    if (warp.state != WarpState::kAtBarrier) continue;
    const Instruction& i = launch.request->code[warp.pc];
    char* frame = warp.registers.data() + warp.frame;
    if (i.mode == 1) {  // popc
      u32* d = reinterpret_cast<u32*>(frame + i.d);
      for (int l = 0; l < kLanes; l++) d[l] = (warp.mask >> l & 1) ? count : d[l];
    } else if (i.mode == 2 || i.mode == 3) {  // and, or
      u32& p = *reinterpret_cast<u32*>(frame + i.d);
      bool truth = i.mode == 2 ? count == voters : count > 0;
      p = (p & ~warp.mask) | (truth ? warp.mask : 0u);
    }
    warp.pc++;
    warp.state = WarpState::kRunning;
  }
}

// A barrier is met by its number alone; two different ones at once can never be.
bool same_barrier(Launch& launch, std::vector<Warp>& warps) {
  const Warp* first = nullptr;
  for (const Warp& warp : warps) {
    if (warp.state != WarpState::kAtBarrier) continue;
    const Instruction& i = launch.request->code[warp.pc];
    if (!first) first = &warp;
    const Instruction& other = launch.request->code[first->pc];
    if (other.immediate != i.immediate || other.mode != i.mode) {
      launch.request->fault->detail = 1;
      fail(launch, kBarrier, i, warp, first_lane(warp.live));
      return false;
    }
  }
  return true;
}

void run_block(Launch& launch, std::vector<Warp>& warps) {
  std::fill(launch.shared_written.begin(), launch.shared_written.end(), 0);
  launch.unwritten = launch.request->shared_bytes;
  for (Warp& warp : warps) {
    int count = std::min(kLanes, launch.threads - warp.id * kLanes);
    warp.live = warp.mask = count == kLanes ? kAllLanes : (1u << count) - 1;
    warp.pc = launch.request->functions[launch.request->kernel].entry;
    warp.reconverge = -1;
    warp.function = launch.request->kernel;
    warp.frame = warp.local_base = 0;
    warp.state = WarpState::kRunning;
    warp.paths.clear();
    warp.calls.clear();
    warp.undefined.clear();
    fill_block_specials(launch, warp, launch.request->functions[warp.function]);
  }
  for (;;) {
    bool waiting = false, running = false;
    for (Warp& warp : warps) {
      if (warp.state != WarpState::kRunning) continue;
      run_warp(launch, warp);
      if (launch.failed()) return;
      running |= warp.state == WarpState::kRunning;
    }
    if (running) continue;  // a warp whose turn was over before it ended or came to a barrier
    for (const Warp& warp : warps) waiting |= warp.state == WarpState::kAtBarrier;
    if (!waiting || !same_barrier(launch, warps)) return;
    release_barrier(launch, warps);
  }
}

}  // namespace

void fail(Launch& launch, FaultKind kind, const Instruction& i, const Warp& warp, int lane, u64 address,
          int bytes, s32 space) {
  FaultRecord& fault = *launch.request->fault;
  if (fault.kind) return;
  fault.kind = kind;
  fault.pc = static_cast<s32>(&i - launch.request->code);
  fault.thread = warp.id * kLanes + lane;
  fault.space = space;
  fault.bytes = bytes;
  fault.address = address;
  for (int k = 0; k < 3; k++) fault.block[k] = launch.block[k];
}

// Gives a function its frame: constants in place, special registers filled.
bool start_function(Launch& launch, Warp& warp, int function) {
  const Function& f = launch.request->functions[function];
  size_t needed = static_cast<size_t>(warp.frame) + static_cast<size_t>(f.frame_bytes);
  warp.registers.grow(needed);
  char* frame = warp.registers.data() + warp.frame;
  memcpy(frame, launch.request->images + f.image, static_cast<size_t>(f.frame_bytes));
  warp.function = function;
  fill_specials(launch, warp, f, frame);
  return true;
}

extern "C" int simulator_launch(LaunchRequest* request) {
  Launch launch{};
  launch.request = request;
  launch.budget = request->budget;
  launch.threads = request->block[0] * request->block[1] * request->block[2];
  int count = (launch.threads + kLanes - 1) / kLanes;
  launch.shared.assign(static_cast<size_t>(request->shared_bytes), 0xcd);
  launch.shared_written.assign(static_cast<size_t>(request->shared_bytes), 0);
  launch.local.assign(static_cast<size_t>(request->local_limit) * static_cast<size_t>(count) * kLanes, 0xcd);
  launch.hints.assign(static_cast<size_t>(request->code_count), -1);
  launch.patterns.assign(static_cast<size_t>(request->code_count), AccessPattern{});
  std::vector<Warp> warps(static_cast<size_t>(count));
  for (int w = 0; w < count; w++) {
    warps[w].id = w;
    warps[w].paths.reserve(64);
    start_function(launch, warps[w], request->kernel);
  }
  const s64 width = request->grid[0], height = request->grid[1];
  for (s64 number = request->first_block; number < request->last_block && !launch.failed(); number++) {
    launch.block[0] = static_cast<s32>(number % width);
    launch.block[1] = static_cast<s32>(number / width % height);
    launch.block[2] = static_cast<s32>(number / width / height);
    run_block(launch, warps);
  }
  request->budget = launch.budget;
  return request->fault->kind;
}

extern "C" int simulator_instruction_bytes() { return sizeof(Instruction); }
extern "C" int simulator_request_bytes() { return sizeof(LaunchRequest); }
