#include "undefined.h"

#include "lanes.h"
#include "matrix.h"
#include "operations.h"
#include "waits.h"

namespace {

Undefined* find(Warp& warp, s32 slot) {
  for (Undefined& r : warp.undefined) {
    if (r.place == warp.frame + slot) return &r;
  }
  return nullptr;
}

void remove(Warp& warp, size_t k) {
  warp.undefined[k] = warp.undefined.back();
  warp.undefined.pop_back();
}

}  // namespace

void collect(Warp& warp, Undefined& into, s32 slot, u32 mask) {
  const Undefined* from = slot < 0 ? nullptr : find(warp, slot);
  if (!from) return;
  u32 fresh = from->mask & mask & ~into.mask;
  into.mask |= fresh;
  into.computed |= fresh && from->computed;
  for (; fresh; fresh &= fresh - 1) {
    int l = first_lane(fresh);
    into.address[l] = from->address[l];
    into.pc[l] = from->pc[l];
  }
}

void assign(Warp& warp, s32 slot, u32 mask, const Undefined& value) {
  if (slot < 0) return;
  Undefined* old = find(warp, slot);
  if (!old) {
    if (!value.mask) return;
    warp.undefined.push_back(value);
    warp.undefined.back().place = warp.frame + slot;
    return;
  }
  old->mask = (old->mask & ~mask) | value.mask;
  old->computed = value.mask ? value.computed : old->computed;
  for (u32 rest = value.mask; rest; rest &= rest - 1) {
    int l = first_lane(rest);
    old->address[l] = value.address[l];
    old->pc[l] = value.pc[l];
  }
  if (!old->mask) remove(warp, static_cast<size_t>(old - warp.undefined.data()));
}

bool use(Launch& launch, Warp& warp, s32 slot, u32 mask, bool only_computed) {
  const Undefined* r = slot < 0 ? nullptr : find(warp, slot);
  if (!r || !(r->mask & mask) || (only_computed && !r->computed)) return true;
  int lane = first_lane(r->mask & mask);
  const Instruction& load = launch.request->code[r->pc[lane]];
  if (load.op == OP_shfl) {
    launch.request->fault->detail = kNoPartner;
    fail(launch, kShuffle, load, warp, lane, r->address[lane]);
    return false;
  }
  const u64 address = r->address[lane];
  const bool shared = address < kWindowBytes;
  fail(launch, shared ? kUninitialisedShared : kUninitialisedGlobal, load, warp, lane, address,
       load.bytes * load.vector, shared ? kShared : kGlobal);
  return false;
}

void forget_frame(Warp& warp, s32 begin) {
  for (size_t k = warp.undefined.size(); k-- > 0;) {
    if (warp.undefined[k].place >= begin) remove(warp, k);
  }
}

void loaded_undefined(Launch& launch, Warp& warp, const Instruction& i, s32 space, const u64* address, u32 mask) {
  const u64 map = space == kShared ? reinterpret_cast<u64>(launch.block->shared_written.data())
                                   : static_cast<u64>(launch.request->written_offset);
  const s32 pc = pc_of(launch, i);
  for (int v = 0; v < i.vector; v++) {
    Undefined value{};
    for (u32 rest = mask; rest; rest &= rest - 1) {
      int l = first_lane(rest);
      for (int k = i.bytes - 1; k >= 0; k--) {
        u64 byte = address[l] + static_cast<u64>(v * i.bytes + k);
        if (*reinterpret_cast<const u8*>(map + byte)) continue;
        value.mask |= 1u << l;
        value.address[l] = byte;
        value.pc[l] = pc;
      }
    }
    assign(warp, i.values[v], mask, value);
  }
}

// A word as it was loaded, its first bytes written: of a structure, with the padding behind a member. Compilers
// copy such a word in one, or as a vector of bytes or halves.
static bool padded(const Launch& launch, Warp& warp, s32 slot, u32 mask) {
  Undefined value{};
  collect(warp, value, slot, mask);
  bool all = value.mask && !value.computed;
  for (u32 rest = value.mask; rest; rest &= rest - 1) {
    int l = first_lane(rest);
    const Instruction& load = launch.request->code[value.pc[l]];
    const int word = load.bytes < 4 ? load.bytes * load.vector : load.bytes;
    all &= load.op == OP_ld && (value.address[l] & static_cast<u64>(word - 1));
  }
  return all;
}

bool stored_undefined(Launch& launch, Warp& warp, const Instruction& i, s32 space, const u64* address,
                      u32 mask) {
  for (int v = 0; v < i.vector; v++) {
    if (space == kGlobal && padded(launch, warp, i.values[v], mask)) continue;
    if (!use(launch, warp, i.values[v], mask, space != kGlobal)) return false;
    if (space != kShared) continue;
    Undefined value{};
    collect(warp, value, i.values[v], mask);
    for (u32 rest = value.mask; rest; rest &= rest - 1) {
      u8* byte = &launch.block->shared_written[address[first_lane(rest)] + static_cast<u64>(v * i.bytes)];
      for (int k = 0; k < i.bytes; k++) {
        launch.block->unwritten += byte[k];
        byte[k] = 0;
      }
    }
  }
  return true;
}

bool pass_undefined(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i) {
  auto uses = [&](s32 slot) { return use(launch, warp, slot, mask); };
  Undefined value{};
  switch (i.op) {
    case OP_mov_b16:
    case OP_mov_b32:
    case OP_mov_b64:
      collect(warp, value, i.a, mask);
      assign(warp, i.d, mask, value);
      return true;
    case OP_selp_b32:
    case OP_selp_b64: {
      u32 p = predicate(frame, i.c);
      collect(warp, value, i.a, mask & p);
      collect(warp, value, i.b, mask & ~p);
      assign(warp, i.d, mask, value);
      return true;
    }
    case OP_pack_b32:
    case OP_pack_b64:
      collect(warp, value, i.a, mask);
      collect(warp, value, i.b, mask);
      assign(warp, i.d, mask, value);
      return true;
    case OP_unpack:
      collect(warp, value, i.a, mask);
      for (s32 slot : i.values) assign(warp, slot, mask, value);
      return true;
    case OP_pack4:
      for (s32 slot : i.values) collect(warp, value, slot, mask);
      assign(warp, i.d, mask, value);
      return true;
    case OP_ld:
    case OP_ld_param:
      if (i.address_bytes && !uses(i.a)) return false;
      for (s32 slot : i.values) assign(warp, slot, mask, value);
      return true;
    case OP_wmma_load:
    case OP_wmma_store:
    case OP_ldmatrix:
    case OP_stmatrix: return (!i.address_bytes || uses(i.a)) && uses(i.e);  // fragments: matrix_memory.cpp
    case OP_mma: pass_undefined_matrices(launch, warp, i); return true;
    case OP_async_copy: return uses(i.a) && uses(i.b) && uses(i.c);
    case OP_async_commit:
    case OP_async_wait: return true;
    case OP_st: return !i.address_bytes || uses(i.a);
    case OP_shfl: {  // what an earlier one read from nobody may go on: collectives.cpp
      u32 loaded = 0;
      collect(warp, value, i.a, mask);
      each_active(value.mask, [&](int l) {
        loaded |= static_cast<u32>(launch.request->code[value.pc[l]].op != OP_shfl) << l;
      });
      return use(launch, warp, i.a, loaded) && uses(i.b) && uses(i.c) && uses(i.e);
    }
    case OP_atom:
    case OP_match:
    case OP_movmatrix:
    case OP_redux:
    case OP_vote:
    case OP_setp:
    case OP_setp2:
    case OP_set:
    case OP_set2:
    case OP_testp:
    case OP_isspacep:
    case OP_brx:
    case OP_bar_warp:
      if (!uses(i.a) || !uses(i.b) || !uses(i.c) || !uses(i.e)) return false;
      if (i.op == OP_brx || i.op == OP_bar_warp) return true;
      assign(warp, i.d, mask, value);
      return true;
    case OP_call:
    case OP_leave:
    case OP_print:
    case OP_fence:
    case OP_assert:
    case OP_bar: return true;  // their operands lie in local memory or are predicates
    default:
      for (s32 slot : {i.a, i.b, i.c}) collect(warp, value, slot, mask);
      value.computed = value.mask != 0;
      assign(warp, i.d, mask, value);
      return true;
  }
}
