#include "async_copy.h"

#include <algorithm>

#include "addressing.h"
#include "cost.h"
#include "races.h"

namespace {

constexpr s32 kLanded = -1;

enum CopyDetail : s32 { kReadsTooMuch = 1, kNotCommitted };

enum CopyMode : s32 { kWaitForAll = 0, kWaitForGroups };
enum CopyWay : s32 { kThroughL1 = 0, kPastL1 };  // .ca and .cg

// How many bytes of the source a lane reads; the rest of the destination becomes zero.
u32 source_bytes(char* frame, const Instruction& i, int lane) {
  if (i.e >= 0 && ((predicate(frame, i.e) >> lane & 1) != 0) != (i.flags != 0)) return 0;  // ignore-src
  return i.c < 0 ? static_cast<u32>(i.bytes) : lanes<u32>(frame, i.c)[lane];
}

bool check_source(Launch& launch, const Warp& warp, const Instruction& i, const AsyncCopy& copy) {
  if (copy.from & static_cast<u64>(copy.bytes - 1)) {
    fail(launch, kMisaligned, i, warp, copy.lane, copy.from, copy.bytes, kGlobal);
    return false;
  }
  s32& hint = launch.hints[copy.pc];
  s32 own = find_allocation(*launch.request, copy.from, copy.from + static_cast<u64>(copy.source_bytes), hint);
  if (own < 0) {
    fail_global(launch, warp, i, copy.from, copy.source_bytes, copy.lane);
    return false;
  }
  return permitted(launch, warp, i, own, false, copy.from, copy.source_bytes, copy.lane);
}

bool check_destination(Launch& launch, const Warp& warp, const Instruction& i, const AsyncCopy& copy) {
  if (!resolve(launch, warp, i, kShared, copy.to, copy.bytes, copy.lane, true)) return false;
  u64 address[kLanes];
  address[copy.lane] = copy.to;
  return !launch.block->bytes_in_flight ||
         nothing_in_flight(launch, warp, i, address, 1u << copy.lane, copy.bytes);
}

void mark(Block& block, const AsyncCopy& copy, s32 pc, s32 thread) {
  block.in_flight.resize(block.shared.size() / 4 + 1, {kLanded, 0});
  for (s32 k = 0; k < copy.bytes / 4; k++) block.in_flight[copy.to / 4 + static_cast<u64>(k)] = {pc, thread};
  block.bytes_in_flight += pc == kLanded ? -copy.bytes : copy.bytes;
}

// What a copy touches, for the search for races: when it starts, and again when it lands.
bool report(Launch& launch, Warp& warp, const Instruction& i, const AsyncCopy& copy) {
  if (!launch.races) return true;
  u64 from[kLanes], to[kLanes];
  EACH_LANE from[l] = copy.from, to[l] = copy.to;
  const u32 lane = 1u << copy.lane;
  return (!copy.source_bytes ||
          launch.races->access(launch, warp, i, kGlobal, from, lane, copy.source_bytes, false, false)) &&
         launch.races->access(launch, warp, i, kShared, to, lane, copy.bytes, true, false);
}

// What nobody wrote to the source counts as not written in the copy, either.
void forget_unwritten(Launch& launch, const AsyncCopy& copy) {
  if (!copy.source_bytes) return;
  u64 from[kLanes] = {};
  from[copy.lane] = copy.from;
  u32 lane = 1u << copy.lane;
  if (track_global(launch, from, lane, copy.source_bytes, false)) return;
  const u8* written = reinterpret_cast<const u8*>(copy.from + static_cast<u64>(launch.request->written_offset));
  for (s32 k = 0; k < copy.source_bytes; k++) {
    u8& byte = launch.block->shared_written[copy.to + static_cast<u64>(k)];
    launch.block->unwritten += byte && !written[k];
    byte &= written[k];
  }
}

void land(Launch& launch, Warp& warp, const AsyncCopy& copy) {
  u8* to = launch.block->shared.data() + copy.to;
  memcpy(to, reinterpret_cast<u8*>(copy.from + static_cast<u64>(launch.request->host_offset)),
         static_cast<size_t>(copy.source_bytes));
  memset(to + copy.source_bytes, 0, static_cast<size_t>(copy.bytes - copy.source_bytes));
  mark(*launch.block, copy, kLanded, 0);
  u64 address[kLanes];
  address[copy.lane] = copy.to;
  track_shared(launch, address, 1u << copy.lane, copy.bytes, true, false);
  forget_unwritten(launch, copy);
  report(launch, warp, launch.request->code[copy.pc], copy);
}

// Whether the thread that fills this word has waited for its groups, and the copy is in none of them.
bool not_committed(const Block& block, const InFlight& found, u64 word) {
  const Warp& warp = block.warps[static_cast<size_t>(found.thread / kLanes)];
  for (const AsyncCopy& copy : warp.copies) {
    if (copy.lane == found.thread % kLanes && word - copy.to / 4 < static_cast<u64>(copy.bytes / 4))
      return copy.passed && warp.commits[copy.lane] == copy.group;
  }
  return false;
}

}  // namespace

// i.a + i.immediate the destination; i.b + i.values[0] the source; i.bytes; i.c how many of them are read, or
// i.e the predicate (negated if i.flags) by which none is; i.mode the way.
void start_copies(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i) {
  if (!mask) return;
  u64 to[kLanes], from[kLanes];
  gather_addresses(frame, mask, i, to);
  const u64* b = lanes<u64>(frame, i.b);
  u32 reading = 0;
  int short_ones = 0;  // whether a lane reads a part: that takes one more wavefront (padded_with_zeros, _3)
  EACH_LANE from[l] = b[l] + static_cast<u64>(static_cast<s64>(i.values[0]));
  for (u32 rest = mask; rest; rest &= rest - 1) {
    const int l = first_lane(rest);
    const u32 wanted = source_bytes(frame, i, l);
    if (wanted > static_cast<u32>(i.bytes)) {
      launch.request->fault->detail = kReadsTooMuch;
      return fail(launch, kAsyncCopy, i, warp, l, wanted, i.bytes, kShared);
    }
    const AsyncCopy copy{pc_of(launch, i), l, warp.commits[l], i.bytes,
                         static_cast<s32>(wanted), from[l], to[l], false};
    if (wanted) reading |= 1u << l;
    if (wanted && wanted < static_cast<u32>(i.bytes)) short_ones = 1;
    if (wanted && !check_source(launch, warp, i, copy)) return;
    if (!check_destination(launch, warp, i, copy) || !report(launch, warp, i, copy)) return;
    mark(*launch.block, copy, copy.pc, warp.id * kLanes + l);
    warp.copies.push_back(copy);
  }
  Counter& counter = counter_of(launch, i);
  const CopyCost cost = i.mode == kPastL1 ? count_copy_past_l1(from, to, reading, mask & ~reading)
                                          : count_copy(from, to, reading, mask, i.bytes);
  counter.requests += reading != 0;
  counter.sectors += static_cast<u64>(cost.sectors);
  counter.copy_sectors += static_cast<u64>(cost.copy_sectors);
  counter.shared_requests++;
  counter.wavefronts += static_cast<u64>(cost.wavefronts + short_ones);
}

void commit_copies(Warp& warp, u32 mask) {
  each_active(mask, [&](int l) { warp.commits[l]++; });
}

void wait_for_copies(Launch& launch, Warp& warp, u32 mask, const Instruction& i) {
  size_t kept = 0;
  for (AsyncCopy& copy : warp.copies) {
    // Groups of the thread that began with or after the copy's own; a copy without a commit is in none.
    const u32 since = warp.commits[copy.lane] - copy.group;
    const bool due = i.mode == kWaitForAll || since > static_cast<u64>(i.immediate);
    const bool waits = mask >> copy.lane & 1;
    if (waits && due && !launch.failed()) {
      land(launch, warp, copy);
    } else {
      copy.passed |= waits && !since;
      warp.copies[kept++] = copy;
    }
  }
  warp.copies.resize(kept);
}

bool nothing_in_flight(Launch& launch, const Warp& warp, const Instruction& i, const u64* address, u32 mask,
                       int bytes) {
  for (u32 rest = mask; rest; rest &= rest - 1) {
    const int l = first_lane(rest);
    for (u64 word = address[l] / 4; word <= (address[l] + static_cast<u64>(bytes) - 1) / 4; word++) {
      const InFlight& found = launch.block->in_flight[word];
      if (found.pc == kLanded) continue;
      tell_other(launch, found.pc, found.thread);
      if (not_committed(*launch.block, found, word)) launch.request->fault->detail = kNotCommitted;
      fail(launch, kAsyncCopy, i, warp, l, std::max(address[l], 4 * word), bytes, kShared);
      return false;
    }
  }
  return true;
}

void forget_copies(Block& block) {
  for (Warp& warp : block.warps) {
    warp.copies.clear();
    memset(warp.commits, 0, sizeof warp.commits);
  }
  if (block.bytes_in_flight) block.in_flight.assign(block.in_flight.size(), {kLanded, 0});
  block.bytes_in_flight = 0;
}
