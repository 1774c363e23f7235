#include "trace.h"

#include "addressing.h"

namespace {

void note_register(u64* row, const char* frame, s32 slot, s32 bytes) {
  for (int l = 0; l < kLanes; l++) {
    if (bytes == 8) {
      row[l] = reinterpret_cast<const u64*>(frame + slot)[l];
    } else {
      const u32* r = reinterpret_cast<const u32*>(frame + slot);
      row[l] = bytes ? r[l] : *r >> l & 1;
    }
  }
}

// How many registers an instruction writes.
int count_registers(const TraceShape& shape) {
  int count = 0;
  while (count < 4 && shape.slot[count] >= 0) count++;
  return count;
}

// Whether the lanes of a step still wait for others to come to it: it has written nothing yet.
bool still_waits(const Warp& warp, const TraceStep& step) {
  for (const Path& path : warp.paths)
    if (path.state == PathState::kAtSync && path.pc == step.pc && path.mask & step.active) return true;
  return false;
}

void complete(Trace& trace, const Counter* counters, const Warp& warp) {
  TraceStep& step = trace.steps[trace.steps_used - 1];
  const TraceShape& shape = trace.shapes[step.pc];
  const Counter& now = counters[step.pc];
  const char* frame = warp.registers.data() + trace.frame;
  const int registers = step.active ? count_registers(shape) : 0;
  u64(*row)[kLanes] = trace.rows + step.first_row + (step.rows - registers);
  if (registers && still_waits(warp, step)) {
    step.rows -= registers;
  } else {
    for (int k = 0; k < registers; k++) note_register(row[k], frame, shape.slot[k], shape.bytes[k]);
  }
  step.requests = static_cast<u32>(now.requests + now.local_requests) - step.requests;
  step.sectors = static_cast<u32>(now.sectors + now.local_sectors) - step.sectors;
  step.shared_requests = static_cast<u32>(now.shared_requests) - step.shared_requests;
  step.wavefronts = static_cast<u32>(now.wavefronts) - step.wavefronts;
  trace.open = 0;
}

}  // namespace

bool is_traced(const Launch& launch, s64 block, int warp) {
  const Trace* trace = launch.request->trace;
  return trace && trace->block == block && trace->warp == warp;
}

void trace_step(Launch& launch, const Warp& warp, u32 path, u32 active, const Instruction& i) {
  const LaunchRequest& request = *launch.request;
  Trace& trace = *request.trace;
  if (trace.open) complete(trace, request.counters, warp);
  if (trace.cut) return;
  const s32 pc = pc_of(launch, i);
  const TraceShape& shape = trace.shapes[pc];
  const bool address = active && shape.address;
  const s32 rows = active ? count_registers(shape) + address : 0;
  if (trace.steps_used == trace.most_steps || trace.rows_used + rows > trace.most_rows) {
    trace.cut = 1;
    return;
  }
  const Counter& now = request.counters[pc];
  trace.steps[trace.steps_used++] = {pc,
                                     path,
                                     active,
                                     warp.live,
                                     static_cast<s32>(trace.rows_used),
                                     rows,
                                     static_cast<u32>(now.requests + now.local_requests),
                                     static_cast<u32>(now.sectors + now.local_sectors),
                                     static_cast<u32>(now.shared_requests),
                                     static_cast<u32>(now.wavefronts)};
  if (address) {  // now: the instruction may overwrite its own address
    u64* row = trace.rows[trace.rows_used];
    gather_addresses(const_cast<char*>(warp.registers.data()) + warp.frame, active, i, row);
    rebase(warp, i, i.space, row);
  }
  trace.rows_used += rows;
  trace.frame = warp.frame;
  trace.open = 1;
}

void trace_turn(Launch& launch, const Warp& warp) {
  Trace& trace = *launch.request->trace;
  if (trace.open) complete(trace, launch.request->counters, warp);
}
