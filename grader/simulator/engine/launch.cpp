// A launch: block after block. The order is fixed, so that the same launch always gives the same bytes and
// counters.
#include "block.h"

#include "races.h"

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
  for (int k = 0; k < 3; k++) fault.block[k] = launch.block->place[k];
}

extern "C" int simulator_launch(LaunchRequest* request) {
  Launch launch{};
  launch.request = request;
  launch.budget = request->budget;
  launch.threads = request->block[0] * request->block[1] * request->block[2];
  launch.hints.assign(static_cast<size_t>(request->code_count), -1);
  launch.patterns.assign(static_cast<size_t>(request->code_count), AccessPattern{});
  std::unique_ptr<Races> races(request->checks & kCheckRaces ? new Races : nullptr);
  launch.races = races.get();
  Block block;
  prepare_block(launch, block);
  for (block.number = request->first_block; block.number < request->last_block && !launch.failed();
       block.number++) {
    run_block(launch, block);
  }
  request->budget = launch.budget;
  return request->fault->kind;
}

extern "C" int simulator_instruction_bytes() { return sizeof(Instruction); }
extern "C" int simulator_request_bytes() { return sizeof(LaunchRequest); }
