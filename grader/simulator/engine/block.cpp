// A block: warp after warp from barrier to barrier. A warp that runs for long without reaching one lets the
// others have their turn, as it may wait for them.
#include "block.h"

#include <algorithm>

#include "async_copy.h"
#include "frames.h"
#include "races.h"
#include "trace.h"

namespace {

// Finishes a barrier that every running warp has reached: combines the votes of bar.red.
void release_barrier(Launch& launch, std::vector<Warp>& warps) {
  u32 arrived = 0;
  for (const Warp& warp : warps) arrived |= static_cast<u32>(warp.state == WarpState::kAtBarrier) << warp.id;
  if (launch.races) launch.races->block_barrier(launch, arrived);
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

}  // namespace

void prepare_block(Launch& launch, Block& block) {
  const LaunchRequest& request = *launch.request;
  const int count = (launch.threads + kLanes - 1) / kLanes;
  block.shared.assign(static_cast<size_t>(request.shared_bytes), 0xcd);
  block.shared_written.assign(static_cast<size_t>(request.shared_bytes), 0);
  block.local.assign(static_cast<size_t>(request.local_limit) * static_cast<size_t>(count) * kLanes, 0xcd);
  block.warps = std::vector<Warp>(static_cast<size_t>(count));
  launch.block = &block;
  for (int w = 0; w < count; w++) {
    block.warps[w].id = w;
    block.warps[w].paths.reserve(64);
    start_function(launch, block.warps[w], request.kernel);
  }
}

void run_block(Launch& launch, Block& block) {
  std::vector<Warp>& warps = block.warps;
  launch.block = &block;
  const s64 width = launch.request->grid[0], height = launch.request->grid[1];
  block.place[0] = static_cast<s32>(block.number % width);
  block.place[1] = static_cast<s32>(block.number / width % height);
  block.place[2] = static_cast<s32>(block.number / width / height);
  std::fill(block.shared_written.begin(), block.shared_written.end(), 0);
  block.unwritten = launch.request->shared_bytes;
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
    warp.traced = is_traced(launch, block.number, warp.id);
    fill_block_specials(launch, warp, launch.request->functions[warp.function]);
  }
  forget_copies(block);
  if (launch.races) launch.races->begin_block(launch);
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
