#include "races.h"

#include <algorithm>

#include "addressing.h"
#include "operations.h"
#include "spot.h"

namespace {

// More than this of marks, or of views, and a launch is no longer looked at.
constexpr size_t kMostBytes = 512u << 20;

constexpr size_t kMostPostponed = 1024;

enum RaceDetail : s32 { kWrites = 1, kOtherWrites = 2, kLockstep = 4 };

u32 block_number(const Launch& launch) {
  return static_cast<u32>(launch.block->number - launch.request->first_block);
}

}  // namespace

struct Races::Visit {
  const Warp& warp;
  const Instruction& i;
  const Order& order;
  s32 space;
  const u64* address;
  u32 lanes;
  int bytes;
  bool write, strong, of_block;
  Mark mine;  // of lane 0
};

namespace {

constexpr size_t kMostSpare = 32u << 20;  // bytes of a log
thread_local std::unique_ptr<Pages> spare_log;

}  // namespace

Races::Log::Log() : pages_(spare_log ? std::move(*spare_log) : Pages(kMostAccesses * sizeof(Access))) {
  spare_log.reset();
  accesses_ = static_cast<Access*>(pages_.data());
}

Races::Log::~Log() {
  if (size_ * sizeof(Access) > kMostSpare) pages_.forget(kMostSpare);
  spare_log = std::make_unique<Pages>(std::move(pages_));
}

bool Races::full() const {
  return now() >= kMostAccesses || global_.bytes() > kMostBytes || views_.bytes() > kMostBytes;
}

void Races::begin_block(Launch& launch) {
  Block& block = *launch.block;
  if (!block.order) {
    orders_.push_back(std::make_unique<Order>(views_));
    block.order = orders_.back().get();
  }
  block.order->begin(block_number(launch), static_cast<int>(block.warps.size()), now());
}

void Races::arrive(Launch& launch, const Warp& warp, s32 barrier) {
  recall(launch);
  launch.block->order->arrive(barrier, warp.id, now());
}

void Races::block_barrier(Launch& launch, s32 barrier, u32 arrived, u32 waited, bool everybody) {
  if (everybody) {
    launch.block->order->postponed.clear();
  } else {
    recall(launch);
  }
  launch.block->order->block_barrier(barrier, arrived, waited, everybody, now());
}

void Races::warp_barrier(Launch& launch, Warp& warp, u32 lanes) {
  recall(launch);
  launch.block->order->warp_barrier(warp, lanes, now());
}

void Races::met(Launch& launch, const Warp& warp, u32 lanes) {
  recall(launch);
  launch.block->order->meet(warp, lanes, now());
}

void Races::fence(Launch& launch, Warp& warp, u32 lanes, int scope) {
  recall(launch);
  launch.block->order->fence(warp.id, lanes, scope == 0 ? kOfBlock : kOfDevice, now());
}

// Accesses of one instruction by one warp share a number until something is ordered in their block.
Moment Races::number(Launch& launch, const Visit& v) {
  if (last_.empty()) last_.assign(static_cast<size_t>(launch.request->code_count), 0);
  const s32 pc = pc_of(launch, v.i);
  Moment& last = last_[static_cast<size_t>(pc)];
  const u32 block = v.order.block();
  if (block != running_) {
    running_ = block;
    alone_since_ = now();
  }
  if (last >= v.order.changed() && last >= alone_since_ && log_[last].warp == v.warp.id &&
      log_[last].write == v.write)
    return last;
  log_.add({block, pc, static_cast<u8>(v.warp.id), v.strong, v.of_block, v.write});
  return last = now() - 1;
}

bool Races::access(Launch& launch, Warp& warp, const Instruction& i, s32 space, const u64* address, u32 lanes,
                   int bytes, bool write, bool strong) {
  if (!lanes || full()) return true;
  Order& order = *launch.block->order;
  const int scope = i.flags & kBlockScope ? kOfBlock : kOfDevice;
  if (i.flags & (kRelease | kAcquire) || (write && space == kShared)) recall(launch);
  if (i.flags & kRelease) order.fence(warp.id, lanes, static_cast<Scope>(scope), now());
  Visit v{warp, i, order, space, address, lanes, bytes, write, strong, (i.flags & kBlockScope) != 0, 0};
  v.mine = first_mark(number(launch, v));
  const u32 shift = static_cast<u32>(__builtin_ctz(static_cast<u32>(bytes)));
  bool fine = true;
  if (space == kShared) {
    Cells& cells = order.shared.whole(static_cast<u32>(launch.request->shared_bytes), shift);
    u32 index[kLanes];
    EACH_LANE index[l] = static_cast<u32>(address[l]) >> cells.shift;
    fine = touch(launch, v, cells, {index, lanes, static_cast<u32>(bytes) >> cells.shift});
  } else {
    u64 near = 0;  // lanes in the page of the next one
    for (int l = 0; l + 1 < kLanes; l++) near |= (address[l] ^ address[l + 1]) < kPageBytes;
    for (u32 rest = lanes; rest && fine;) {  // page by page, or lane by lane where each has its own
      const u64 page = address[first_lane(rest)] & ~static_cast<u64>(kPageBytes - 1);
      u64 far = near ? 0 : kPageBytes;
      if (near) EACH_LANE far |= address[l] - page;
      u32 same = near ? rest : rest & -rest;
      if (near && far >= kPageBytes) {
        same = 0;
        EACH_LANE same |= static_cast<u32>(address[l] - page < kPageBytes) << l;
        same &= rest;
      }
      Cells& cells = global_.page(page, shift);
      u32 index[kLanes];
      if (far < kPageBytes) {
        EACH_LANE index[l] = static_cast<u32>(address[l] - page) >> cells.shift;
      } else {
        if (same & (same - 1))
          std::fill_n(index, kLanes, static_cast<u32>(address[first_lane(same)] - page) >> cells.shift);
        each_active(same, [&](int l) { index[l] = static_cast<u32>(address[l] - page) >> cells.shift; });
      }
      fine = touch(launch, v, cells, {index, same, static_cast<u32>(bytes) >> cells.shift});
      rest &= ~same;
    }
  }
  if (!fine || !strong) return fine;
  if (space == kShared && i.op != OP_atom && !lockstep(launch, v)) return false;
  each_active(lanes, [&](int l) {
    u64 key = space == kShared ? static_cast<u64>(order.block()) << 32 | address[l] | 1ull << 63 : address[l];
    if (i.op == OP_ld || (i.op == OP_atom && i.d >= 0)) order.acquire(flags_, key, warp.id, l);
    if (write) order.release(flags_, key, warp.id, l, i.op == OP_atom);
  });
  if (i.flags & kAcquire) order.fence(warp.id, lanes, static_cast<Scope>(scope), now());
  return true;
}

bool Races::touch(Launch& launch, const Visit& v, Cells& cells, const Spot& spot) {
  Shadow& shadow = v.space == kShared ? launch.block->order->shared : global_;
  const bool one = !(spot.lanes & (spot.lanes - 1));
  auto fine = [&](const Mark* marks, bool writes) {
    if (!marks || (!one && quiet(v, marks, spot))) return true;
    return settle(launch, v, marks, spot, writes);
  };
  if (!over(v, cells.writes) && (!fine(cells.write, true) || !fine(cells.strong, true))) return false;
  // For reads alone: who counted last may reset the counter, though only the last of the others' atomics is known.
  if (!over(v, cells.writes) && !v.write && !fine(cells.strong2, true)) return false;
  if (!v.write) {
    if (v.space == kShared) {
      postpone(launch, v);
      return true;
    }
    shadow.need(cells, cells.read);
    remember_reads(v, cells, shadow, spot);
    cells.reads.add(access_of(v.mine));
    return true;
  }
  if (!over(v, cells.reads) && (!fine(cells.read, false) || !fine(cells.read2, false))) return false;
  Mark* writes = shadow.need(cells, v.strong ? cells.strong : cells.write);
  if (v.strong && !over(v, cells.writes)) keep_strong(v, cells, shadow, spot);
  cells.writes.add(access_of(v.mine));
  bool clash = false;
  for (u32 k = 0; k < spot.count; k++) {
    spot.store(writes, k, v.mine);
    if (!spot.run) clash |= !spot.holds(writes, k, v.mine);
    if (v.strong) continue;  // others' strong writes do not race with this one, but with weak reads before it
    if (cells.read) spot.clear(cells.read, k);
    if (cells.read2) spot.clear(cells.read2, k);
  }
  return !clash || settle(launch, v, writes, spot, true);
}

// Whether all that happened in a stretch of memory is this block's from before its last barrier.
bool Races::over(const Visit& v, const Span& span) const {
  return span.newest < v.order.floor() && (v.space == kShared || !span.oldest || span.oldest >= alone_since_);
}

// Whether it is plain at once that all these accesses come before this one: they are this block's from before its
// last barrier, or the same threads'.
bool Races::quiet(const Visit& v, const Mark* marks, const Spot& spot) const {
  // Older marks on shared memory may be of the block that had it before.
  const Mark low = v.space == kShared ? 0 : first_mark(alone_since_), floor = first_mark(v.order.floor());
  const Mark window = std::max(floor, low) - low;
  const Mark first = marks[spot.index[0]] & ~31u;
  const Access& other = log_[access_of(first)];
  const bool own = other.block == v.order.block() && other.warp == v.warp.id;
  Mark have[kLanes];
  for (u32 k = 0; k < spot.count; k++) {
    spot.load(marks, k, have);
    u32 unsure = 0, different = 0;
    EACH_LANE unsure |= static_cast<u32>(have[l] - low >= window) & static_cast<u32>(have[l] != 0);
    if (!unsure) continue;
    if (!own) return false;
    EACH_LANE different |= have[l] ^ (first | static_cast<u32>(l));
    if (different) return false;
  }
  return true;
}

// Whether all these are marks of one other warp of this block, or of other blocks alone, that this warp knows
// nothing of.
bool Races::loud(const Visit& v, const Mark* marks, const Spot& spot) const {
  const Mark first = marks[spot.index[0]] & ~31u;
  const Access& other = log_[access_of(first)];
  if (!first || (other.block == v.order.block() && other.warp == v.warp.id) || known(v, first, 0)) return false;
  u32 different = 0;
  Mark have[kLanes];
  for (u32 k = 0; k < spot.count; k++) {
    spot.load(marks, k, have);
    EACH_LANE different |= (have[l] & ~31u) ^ first;
  }
  return !different;
}

bool Races::known(const Visit& v, Mark mark, int lane) const {
  // Older marks on shared memory may be of the block that had it before.
  if (!mark || (v.space == kShared && access_of(mark) < v.order.floor())) return true;
  const Access& other = log_[access_of(mark)];
  return v.order.knows(v.warp.id, lane, other.block, other.warp, lane_of(mark), access_of(mark),
                       !v.write && !v.strong && !(v.i.flags & kPastCache));
}

// Strong accesses of threads that are within each other's scope are ordered as they come.
bool Races::strong_together(const Visit& v, Mark mark) const {
  const Access& other = log_[access_of(mark)];
  return other.strong && v.strong && (other.block == v.order.block() || !(other.of_block || v.of_block));
}

// A read of a lane that has taken part in a shuffle or vote since: it had its value before this write, whatever
// the memory model says of lanes that only met.
bool Races::met_since(const Visit& v, Mark mark) const {
  const Access& other = log_[access_of(mark)];
  return other.block == v.order.block() && other.warp == v.warp.id && access_of(mark) < v.order.met(v.warp.id);
}

bool Races::settle(Launch& launch, const Visit& v, const Mark* marks, const Spot& spot, bool writes) {
  for (u32 lanes = spot.lanes; lanes; lanes &= lanes - 1) {
    const int l = first_lane(lanes);
    for (u32 k = 0; k < spot.count; k++) {
      const Mark mark = marks[spot.index[l] + k];
      if (known(v, mark, l) || strong_together(v, mark)) continue;
      if (!writes && met_since(v, mark)) continue;
      if (writes && v.write && harmless(launch, v, mark, l)) continue;
      report(launch, v, mark, l, 0);
      return false;
    }
  }
  return true;
}

// Strong writes that this one does not come after stay, as the second of their cell.
void Races::keep_strong(const Visit& v, Cells& cells, Shadow& shadow, const Spot& spot) {
  each_active(spot.lanes, [&](int l) {
    for (u32 k = 0; k < spot.count; k++) {
      const Mark mark = cells.strong[spot.index[l] + k];
      if (!known(v, mark, l)) shadow.need(cells, cells.strong2)[spot.index[l] + k] = mark;
    }
  });
}

void Races::postpone(Launch& launch, const Visit& v) {
  std::vector<PostponedRead>& reads = launch.block->order->postponed;
  if (reads.size() == kMostPostponed) recall(launch);
  reads.emplace_back();
  PostponedRead& read = reads.back();
  read.mine = v.mine, read.lanes = v.lanes, read.bytes = static_cast<u32>(v.bytes);
  EACH_LANE read.address[l] = static_cast<u32>(v.address[l]);
}

// Marks the cells of what was read.
void Races::recall(Launch& launch) {
  Order& order = *launch.block->order;
  for (const PostponedRead& read : order.postponed) {
    const Access& access = log_[access_of(read.mine)];
    const Visit v{launch.block->warps[access.warp], launch.request->code[access.pc], order, kShared, nullptr,
                  read.lanes, static_cast<int>(read.bytes), false, access.strong, access.of_block, read.mine};
    Cells& cells = order.shared.whole(static_cast<u32>(launch.request->shared_bytes),
                                      static_cast<u32>(__builtin_ctz(read.bytes)));
    u32 index[kLanes];
    EACH_LANE index[l] = read.address[l] >> cells.shift;
    order.shared.need(cells, cells.read);
    remember_reads(v, cells, order.shared, {index, read.lanes, read.bytes >> cells.shift});
    cells.reads.add(access_of(read.mine));
  }
  order.postponed.clear();
}

// A reader that comes after the one remembered takes its place, any other is the second; so is a strong one behind a
// weak one, which races with more.
void Races::remember_reads(const Visit& v, Cells& cells, Shadow& shadow, const Spot& spot) {
  Mark* reads = cells.read;
  const bool all = spot.lanes == kAllLanes && !v.strong;
  if (all && (over(v, cells.reads) || quiet(v, reads, spot))) {
    for (u32 k = 0; k < spot.count; k++) {
      spot.store(reads, k, v.mine);
      if (spot.run || spot.holds(reads, k, v.mine)) continue;
      // Lanes read one cell: the last and the first of them stay.
      Mark* second = shadow.need(cells, cells.read2);
      for (int l = kLanes - 1; l >= 0; l--) second[spot.index[l] + k] = v.mine | static_cast<u32>(l);
    }
    return;
  }
  if (all && loud(v, reads, spot)) {
    Mark* second = shadow.need(cells, cells.read2);
    for (u32 k = 0; k < spot.count; k++) spot.store(second, k, v.mine);
    return;
  }
  each_active(spot.lanes, [&](int l) {
    for (u32 k = 0; k < spot.count; k++) {
      Mark &read = reads[spot.index[l] + k], own = v.mine | static_cast<u32>(l);
      if (known(v, read, l) && !(v.strong && read && !log_[access_of(read)].strong)) {
        read = own;
      } else {
        shadow.need(cells, cells.read2)[spot.index[l] + k] = own;
      }
    }
  });
}

// Whether a store writes what is there already, or what another lane of it writes to the same place.
bool Races::harmless(Launch& launch, const Visit& v, Mark mark, int lane) const {
  if (v.i.op != OP_st) return false;
  const char* frame = v.warp.registers.data() + v.warp.frame;
  const int other = lane_of(mark);
  const bool together = (mark & ~31u) == v.mine && other != lane &&
                        (v.lanes >> other & 1) && v.address[other] == v.address[lane];
  const u8* there = v.space == kShared
                        ? launch.block->shared.data() + v.address[lane]
                        : reinterpret_cast<const u8*>(v.address[lane] + static_cast<u64>(launch.request->host_offset));
  const size_t width = v.i.bytes == 8 || v.i.flags & kWideRegister ? 8 : 4;  // of a lane of the register
  for (int k = 0; k < v.i.vector; k++) {
    const char* mine = frame + v.i.values[k] + width * static_cast<size_t>(lane);
    const void* theirs = there + k * v.i.bytes;
    if (together) theirs = frame + v.i.values[k] + width * static_cast<size_t>(other);
    if (memcmp(mine, theirs, static_cast<size_t>(v.i.bytes)) != 0) return false;
  }
  return true;
}

// A volatile load of what another lane has just stored.
bool Races::lockstep(Launch& launch, const Visit& v) {
  LockstepStore& store = stores_[static_cast<u64>(v.order.block()) << 32 | static_cast<u64>(v.warp.id)];
  if (v.write) {
    store = LockstepStore(access_of(v.mine), v.lanes, v.address);
    return true;
  }
  for (u32 rest = v.lanes; rest; rest &= rest - 1) {
    const int lane = first_lane(rest), other = relies_on(store, v.order, v.warp, v.address, v.lanes, lane);
    if (other < 0) continue;
    if (polls(launch, pc_of(launch, v.i))) {
      for (; rest; rest &= rest - 1) store.awaited[first_lane(rest)] = v.address[first_lane(rest)];
      return true;
    }
    report(launch, v, first_mark(store.moment) | static_cast<u32>(other), lane, kLockstep);
    return false;
  }
  return true;
}

void Races::report(Launch& launch, const Visit& v, Mark mark, int lane, s32 detail) {
  const Access& other = log_[access_of(mark)];
  FaultRecord& fault = *launch.request->fault;
  if (fault.kind) return;
  fail(launch, kRace, v.i, v.warp, lane, v.address[lane], v.bytes, v.space);
  fault.detail = detail | (v.write ? kWrites : 0) | (other.write ? kOtherWrites : 0);
  fault.other_pc = other.pc;
  fault.other_thread = other.warp * kLanes + lane_of(mark);
  s64 number = other.block + launch.request->first_block;
  for (int k = 0; k < 3; k++) {
    fault.other_block[k] = static_cast<s32>(number % launch.request->grid[k]);
    number /= launch.request->grid[k];
  }
}
