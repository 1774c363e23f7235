// Warp after warp has a turn, until all of them wait at barriers, are done, or wait for other blocks.
#include "block.h"

#include <algorithm>

#include "async_copy.h"
#include "barriers.h"
#include "frames.h"
#include "races.h"
#include "trace.h"
#include "warp.h"

// Turns of all warps without a barrier, after which other blocks have theirs.
constexpr int kLongRun = 16;

void prepare_block(Launch& launch, Block& block) {
  const LaunchRequest& request = *launch.request;
  const int count = (launch.threads + kLanes - 1) / kLanes;
  block.shared.assign(static_cast<size_t>(request.shared_bytes), 0xcd);
  block.shared_written.assign(static_cast<size_t>(request.shared_bytes), 0);
  block.local.assign(static_cast<size_t>(request.local_limit) * static_cast<size_t>(count) * kLanes, 0xcd);
  block.warps = std::vector<Warp>(static_cast<size_t>(count));
  launch.block = &block;
  for (int w = 0; w < count; w++) {
    Warp& warp = block.warps[static_cast<size_t>(w)];
    warp.id = w;
    warp.paths.reserve(kLanes);
    start_function(launch, warp, kKernel);
  }
}

void begin_block(Launch& launch, Block& block, s64 number) {
  const Function& kernel = launch.request->functions[kKernel];
  const s64 width = launch.request->grid[0], height = launch.request->grid[1];
  launch.block = &block;
  block.number = number;
  block.used = 0;
  block.place[0] = static_cast<s32>(number % width);
  block.place[1] = static_cast<s32>(number / width % height);
  block.place[2] = static_cast<s32>(number / width / height);
  std::fill(block.shared_written.begin(), block.shared_written.end(), 0);
  std::fill(std::begin(block.barriers), std::end(block.barriers), Barrier{});
  block.unwritten = launch.request->shared_bytes;
  for (Warp& warp : block.warps) {
    const int count = std::min(kLanes, launch.threads - warp.id * kLanes);
    warp.live = count == kLanes ? kAllLanes : (1u << count) - 1;
    Path path;
    path.pc = kernel.entry, path.mask = warp.live;
    warp.paths.assign(1, path);
    warp.joins.clear();
    warp.calls.clear();
    warp.undefined.clear();
    warp.function = kKernel;
    warp.frame = warp.local_base = 0;
    warp.state = WarpState::kRunning;
    warp.awaited = 0;
    warp.exited = warp.waits = false;
    warp.polls = 0, warp.poll_pc = -1;
    warp.traced = is_traced(launch, block.number, warp.id);
    fill_block_specials(launch, warp, kernel);
  }
  forget_copies(block);
  if (launch.races) launch.races->begin_block(launch);
}

bool run_block(Launch& launch, Block& block) {
  launch.block = &block;
  for (int rounds = 1;; rounds++) {
    for (Warp& warp : block.warps) {
      if (warp.state != WarpState::kRunning) continue;
      run_warp(launch, warp);
      if (launch.failed()) return true;
      if (warp.traced && warp.state == WarpState::kRunning) trace_turn(launch, warp);
    }
    bool running = false, spinning = true, waiting = false;
    for (const Warp& warp : block.warps) {
      running |= warp.state == WarpState::kRunning;
      spinning &= warp.state != WarpState::kRunning || warp.spins;
      waiting |= warp.state == WarpState::kAtBarrier;
    }
    if (waiting && open_barriers(launch, block)) {
      rounds = 0;
    } else if (!running) {
      if (waiting) fail_deadlock(launch, block);
      return true;
    } else if (spinning || rounds == kLongRun) {
      return false;
    }
  }
}
