// The way of fragments to memory and back.
//
// Each access here is one of the hardware's: checked lane by lane and counted like a load or a store. For wmma they are
// those into which ptxas 13.0 turns it for sm_80 and sm_90: 4 bytes of each register where a line lies along the
// memory, and for 16-bit elements also where it lies across (8x8 matrices are transposed on the way, by MOVM); two
// sums at once where they are neighbours; and from shared memory, ldmatrix for up to four registers of A or B.
#include <algorithm>

#include "addressing.h"
#include "async_copy.h"
#include "convert.h"
#include "cost.h"
#include "matrix.h"
#include "races.h"
#include "undefined.h"
#include "waits.h"

namespace {

// Bytes in memory, and the marks that say which of them were ever written; null: all were.
struct Place {
  u8* bytes;
  const u8* written;
};
Place operator+(Place place, int bytes) {
  return {place.bytes + bytes, place.written ? place.written + bytes : nullptr};
}

// Where a register's value lies in every lane: `count` pieces of `bytes`, the lowest first.
struct Pieces {
  Place at[kLanes][4];
  int count, bytes;
};

// Checks and counts one access of `bytes` a lane, and gives the lanes' places. `address` has a value for every lane.
bool reach(Launch& launch, Warp& warp, const Instruction& i, s32 space, const u64* address, u32 mask, int bytes,
           bool store, Place* places) {
  for (u32 rest = mask; rest; rest &= rest - 1) {
    const int l = first_lane(rest);
    places[l] = {resolve(launch, warp, i, space, address[l], bytes, l, store), nullptr};
    if (!places[l].bytes) return false;
  }
  u32 tracked = mask;
  bool written = true;
  u64 marks = 0;
  Counter& counter = counter_of(launch, i);
  if (space == kGlobal) {
    counter.requests++;
    counter.sectors += static_cast<u64>(count_sectors(address, mask));
    written = track_global(launch, address, tracked, bytes, store);
    marks = static_cast<u64>(launch.request->written_offset);
  } else if (space == kShared) {
    if (launch.block->bytes_in_flight && !nothing_in_flight(launch, warp, i, address, mask, bytes)) return false;
    counter.shared_requests++;
    auto* count = store || bytes == 16 ? count_wavefronts : count_load_wavefronts;  // 16 bytes are a row
    counter.wavefronts += static_cast<u64>(count(address, mask, bytes));
    written = track_shared(launch, address, mask, bytes, store, false);
    marks = reinterpret_cast<u64>(launch.block->shared_written.data());
  }
  if (!written) {
    each_active(tracked, [&](int l) { places[l].written = reinterpret_cast<const u8*>(marks + address[l]); });
  }
  return !launch.races || space == kLocal ||
         launch.races->access(launch, warp, i, space, address, mask, bytes, store, false);
}

void load_register(Launch& launch, Warp& warp, char* frame, const Instruction& i, s32 slot, const Pieces& p) {
  Undefined value{};
  const u64 shared = reinterpret_cast<u64>(launch.block->shared.data());
  for (int l = 0; l < kLanes; l++) {
    u64 word = 0;
    for (int k = 0; k < p.count; k++) memcpy(reinterpret_cast<u8*>(&word) + k * p.bytes, p.at[l][k].bytes, p.bytes);
    if (p.count * p.bytes == 8) {
      lanes<u64>(frame, slot)[l] = word;
    } else {
      lanes<u32>(frame, slot)[l] = static_cast<u32>(word);
    }
  }
  for (int l = 0; l < kLanes; l++) {
    for (int k = p.count * p.bytes - 1; k >= 0; k--) {
      const Place byte = p.at[l][k / p.bytes] + k % p.bytes;
      if (!byte.written || *byte.written) continue;
      const u64 offset = reinterpret_cast<u64>(byte.bytes) - shared;
      value.mask |= 1u << l;
      value.pc[l] = pc_of(launch, i);
      value.address[l] = offset < launch.block->shared.size()
                             ? offset
                             : reinterpret_cast<u64>(byte.bytes) - static_cast<u64>(launch.request->host_offset);
    }
  }
  assign(warp, slot, kAllLanes, value);
}

// An undefined value may go to shared memory, which then counts as not written there.
bool store_register(Launch& launch, Warp& warp, char* frame, s32 slot, s32 space, const Pieces& p) {
  Block& block = *launch.block;
  if (space != kShared && !use(launch, warp, slot, kAllLanes)) return false;
  Undefined value{};
  collect(warp, value, slot, kAllLanes);
  for (int l = 0; l < kLanes; l++) {
    u64 word = p.count * p.bytes == 8 ? lanes<u64>(frame, slot)[l] : lanes<u32>(frame, slot)[l];
    for (int k = 0; k < p.count; k++) memcpy(p.at[l][k].bytes, reinterpret_cast<u8*>(&word) + k * p.bytes, p.bytes);
    for (int k = 0; k < p.count * p.bytes && (value.mask >> l & 1); k++) {
      const u8* byte = (p.at[l][k / p.bytes] + k % p.bytes).bytes;
      u8& written = block.shared_written[static_cast<u64>(byte - block.shared.data())];
      block.unwritten += written;
      written = 0;
    }
  }
  return true;
}

// Lane (g, t) of an 8x8 matrix in rows gets elements 2t and 2t + 1 of column g.
void transpose(const Place* quads, Pieces& p) {
  p.count = 2, p.bytes = 2;
  for (int l = 0; l < kLanes; l++) {
    const int group = l >> 2, member = l & 3;
    for (int j = 0; j < 2; j++) p.at[l][j] = quads[(2 * member + j) * 4 + group / 2] + 2 * (group & 1);
  }
}

// A matrix in memory, of which a fragment is one part or all.
struct Matrix {
  Role role;
  Shape shape;
  s32 type, space;
  int bytes, per_register;  // of an element; elements
  bool crossed;
  u64 base, stride;  // in bytes

  u64 at(int line, int place) const {
    const u64 x = static_cast<u64>(line), y = static_cast<u64>(place), size = static_cast<u64>(bytes);
    return base + (crossed ? y * stride + x * size : x * stride + y * size);
  }
};

// The pieces of register r, by one or more accesses. Sums of 32 or 64 bits come in pairs: `pair` keeps an even
// register's access for the odd one behind it.
bool reach_register(Launch& launch, Warp& warp, const Instruction& i, const Matrix& x, int r, bool store, Place* pair,
                    Pieces& p) {
  u64 address[kLanes];
  auto address_all = [&](int step_line, int step_place) {
    for (int l = 0; l < kLanes; l++) {
      const Element element = element_of(x.role, x.shape, x.per_register, r, l);
      address[l] = x.at(element.line + step_line, element.place + step_place);
    }
  };
  auto single = [&](int k) {
    for (int l = 0; l < kLanes; l++) p.at[l][k] = pair[l];
  };
  p.count = 1, p.bytes = x.bytes * x.per_register;
  if (x.role == kRoleSum && x.per_register == 1 && !x.crossed) {
    if (r % 2 == 0) {
      address_all(0, 0);
      if (!reach(launch, warp, i, x.space, address, kAllLanes, 2 * x.bytes, store, pair)) return false;
    }
    for (int l = 0; l < kLanes; l++) p.at[l][0] = pair[l] + r % 2 * x.bytes;
    return true;
  }
  if (!x.crossed || x.per_register == 1) {
    address_all(0, 0);
    if (!reach(launch, warp, i, x.space, address, kAllLanes, p.bytes, store, pair)) return false;
    single(0);
    return true;
  }
  if (x.per_register == 2) {
    const Element corner = element_of(x.role, x.shape, 2, r, 0);
    for (int l = 0; l < kLanes; l++) address[l] = x.at(corner.line + 2 * (l & 3), corner.place + (l >> 2));
    if (!reach(launch, warp, i, x.space, address, kAllLanes, 4, store, pair)) return false;
    transpose(pair, p);
    return true;
  }
  p.count = 4, p.bytes = 1;
  for (int k = 0; k < 4; k++) {
    address_all(0, k);
    if (!reach(launch, warp, i, x.space, address, kAllLanes, 1, store, pair)) return false;
    single(k);
  }
  return true;
}

template <class T>
bool same_in_all(Launch& launch, const Warp& warp, const Instruction& i, const T* values) {
  for (int l = 1; l < kLanes; l++) {
    if (values[l] == values[0]) continue;
    launch.request->fault->detail = kOtherOperands;
    fail(launch, kShuffle, i, warp, l);
    return false;
  }
  return true;
}

}  // namespace

void move_fragment(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i, bool store) {
  if (!mask || !whole_warp(launch, warp, mask, i)) return;
  u64 address[kLanes];
  gather_addresses(frame, mask, i, address);
  const u32* stride = lanes<u32>(frame, i.e);
  if (!same_in_all(launch, warp, i, address) || !same_in_all(launch, warp, i, stride)) return;
  Matrix x;
  x.role = static_cast<Role>(i.source_type);
  x.shape = shape_of(i.mode);
  x.type = i.type;
  x.bytes = i.bytes;
  x.per_register = i.bytes < 4 ? 4 / i.bytes : 1;
  x.crossed = i.flags & kCrossed;
  x.space = i.space == kGeneric ? space_of(address[0]) : i.space;
  rebase(warp, i, x.space, address);
  x.base = address[0];
  x.stride = static_cast<u64>(stride[0]) * static_cast<u64>(i.bytes);
  // The PTX ISA 9.0 (Matrix Storage for WMMA) asks for lines that begin at a multiple of the fragment's size in a lane
  // (8 to 32 bytes), the CUDA C++ guide for a first element at a multiple of 32 bytes and a stride of a multiple of
  // 16. At fault is what both forbid, so lines may be padded by 16 bytes. A GPU hides the fault in global memory, where
  // ptxas 13.0 loads 4 or 8 bytes at once. In shared memory a multiple of 16 is enough: ldmatrix asks for no more, and
  // where an array begins there is mostly up to the compiler.
  const int fragment = std::min(i.values[1] * std::max(4, i.bytes), 32), line = std::min(fragment, 16);
  if (x.base & static_cast<u64>((x.space == kGlobal ? fragment : line) - 1))
    return fail(launch, kMisaligned, i, warp, 0, x.base, x.space == kGlobal ? fragment : line, x.space);
  if (x.stride & static_cast<u64>(line - 1))
    return fail(launch, kMisaligned, i, warp, 0, x.base + x.stride, line, x.space);
  const s32* slots = launch.request->lists + i.values[0];
  const int count = registers_of(x.role, x.shape, x.per_register);
  const bool by_rows = i.space == kShared && x.role != kRoleSum && (x.bytes == 2 || (x.bytes == 1 && !x.crossed));
  Place pair[kLanes];
  for (int r = 0; r < count; r++) {
    Pieces pieces;
    if (!reach_register(launch, warp, i, x, r, store, pair, pieces)) return;
    if (by_rows && r % 4) counter_of(launch, i).shared_requests--;  // one ldmatrix
    if (store) {
      if (!store_register(launch, warp, frame, slots[r], x.space, pieces)) return;
      continue;
    }
    for (int same = r; same < i.values[1]; same += count) load_register(launch, warp, frame, i, slots[same], pieces);
  }
}

void move_rows(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i, bool store) {
  if (!mask || !whole_warp(launch, warp, mask, i)) return;
  const u32 rows = i.mode == 4 ? kAllLanes : (1u << (8 * i.mode)) - 1;  // lanes whose addresses count
  u64 address[kLanes];
  Place row[kLanes];
  gather_addresses(frame, rows, i, address);
  if (i.space == kGeneric) EACH_LANE address[l] -= kSharedWindow;
  if (!reach(launch, warp, i, kShared, address, rows, 16, store, row)) return;
  for (int n = 0; n < i.mode; n++) {
    Pieces pieces;
    Place quads[kLanes];
    for (int l = 0; l < kLanes; l++) quads[l] = row[8 * n + (l >> 2)] + 4 * (l & 3);
    if (i.flags & kCrossed) {
      transpose(quads, pieces);
    } else {
      pieces.count = 1, pieces.bytes = 4;
      for (int l = 0; l < kLanes; l++) pieces.at[l][0] = quads[l];
    }
    if (store) {
      if (!store_register(launch, warp, frame, i.values[n], kShared, pieces)) return;
    } else {
      load_register(launch, warp, frame, i, i.values[n], pieces);
    }
  }
}

void transpose_matrix(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i) {
  if (!mask || !whole_warp(launch, warp, mask, i)) return;
  u32 source[kLanes];
  memcpy(source, frame + i.a, sizeof source);
  Pieces pieces;
  Place quads[kLanes];
  for (int l = 0; l < kLanes; l++) quads[l] = {reinterpret_cast<u8*>(&source[l]), nullptr};
  transpose(quads, pieces);
  for (int l = 0; l < kLanes; l++) {
    u16 low, high;
    memcpy(&low, pieces.at[l][0].bytes, 2);
    memcpy(&high, pieces.at[l][1].bytes, 2);
    lanes<u32>(frame, i.d)[l] = static_cast<u32>(low) | static_cast<u32>(high) << 16;
  }
}
