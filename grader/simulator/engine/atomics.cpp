// Atomics and reductions.
#include "addressing.h"
#include "async_copy.h"
#include "convert.h"
#include "memory.h"
#include "races.h"

namespace {

enum AtomicOperation : s32 {
  kAtomAdd = 0,
  kAtomMin,
  kAtomMax,
  kAtomAnd,
  kAtomOr,
  kAtomXor,
  kAtomExchange,
  kAtomCompare,
  kAtomIncrement,
  kAtomDecrement,
};

enum AtomicFlag : s32 { kCountsOnes = 1 << 11 };

u64 combine_atomic(const Instruction& i, u64 old, u64 value, u64 swap) {
  switch (i.mode) {
    case kAtomAdd:
      switch (i.type) {
        case kF32: {
          f32 x = bits<f32>(static_cast<u32>(old)), y = bits<f32>(static_cast<u32>(value));
          return bits<u32>(i.flags & kFtz ? ftz(canonical(ftz(x) + ftz(y))) : canonical(x + y));
        }
        case kF64:
          return bits<u64>(settle(bits<f64>(old) + bits<f64>(value), bits<f64>(old), bits<f64>(value)));
        case kF16:
          if (i.bytes == 4) return both(add_f16(old, value), add_f16(old >> 16, value >> 16));
          return add_f16(old, value);
        case kBF16:
          if (i.bytes == 4) {
            return both(to_bf16(from_bf16(old) + from_bf16(value)),
                        to_bf16(from_bf16(old >> 16) + from_bf16(value >> 16)));
          }
          return to_bf16(from_bf16(old) + from_bf16(value));
        default: return old + value;
      }
    case kAtomMin:
    case kAtomMax: {
      bool less;
      switch (i.type) {
        case kS32: less = static_cast<s32>(old) < static_cast<s32>(value); break;
        case kF16:
        case kBF16: {
          Instruction half = {};
          half.mode = i.mode == kAtomMax, half.flags = i.type == kBF16 ? s32{kBf16} : 0;
          u16 low = minmax_half(old, value, half);
          return i.bytes == 4 ? both(low, minmax_half(old >> 16, value >> 16, half)) : low;
        }
        case kS64: less = static_cast<s64>(old) < static_cast<s64>(value); break;
        default: less = old < value; break;
      }
      return less == (i.mode == kAtomMin) ? old : value;
    }
    case kAtomAnd: return old & value;
    case kAtomOr: return old | value;
    case kAtomXor: return old ^ value;
    case kAtomExchange: return value;
    case kAtomCompare: return old == value ? swap : old;
    case kAtomIncrement: return old >= value ? 0 : old + 1;
    default: return old == 0 || old > value ? value : old - 1;
  }
}

u64 read_register(char* frame, s32 slot, int bytes, int l) {
  if (slot < 0) return 0;
  if (bytes == 8) return lanes<u64>(frame, slot)[l];
  u32 x = lanes<u32>(frame, slot)[l];
  return bytes == 2 ? x & 0xffff : x;
}

}  // namespace

// Lanes take their turns in order of their number.
void atomic(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i) {
  if (!mask) return;
  u64 address[kLanes];
  gather_addresses(frame, mask, i, address);
  Counter& counter = counter_of(launch, i);
  by_space(mask, i, address, [&](u32 part, s32 space) {
    for (u32 rest = part; rest && !launch.failed(); rest &= rest - 1) {
      int l = first_lane(rest);
      u8* host = resolve(launch, warp, i, i.space, address[l], i.bytes, l, true);
      if (!host) return;
      u64 offset = space == kShared && i.space == kGeneric ? address[l] - kSharedWindow : address[l];
      u64 one[kLanes] = {};
      one[l] = offset;
      if (launch.races && space != kLocal &&
          !launch.races->access(launch, warp, i, space, one, 1u << l, i.bytes, true, true))
        return;
      if (space == kShared) {
        if (launch.block->bytes_in_flight && !nothing_in_flight(launch, warp, i, one, 1u << l, i.bytes)) return;
        // An exchange reads what was there, but is a way to initialise too.
        bool only_writes = i.mode == kAtomExchange;
        if (!track_shared(launch, one, 1u << l, i.bytes, only_writes, false))
          return fail(launch, kUninitialisedShared, i, warp, l, offset, i.bytes, kShared);
      }
      if (space == kGlobal) {
        u32 lane = 1u << l;
        if (!track_global(launch, one, lane, i.bytes, i.mode == kAtomExchange))
          return fail(launch, kUninitialisedGlobal, i, warp, l, offset, i.bytes, kGlobal);
      }
      u64 old = 0;
      memcpy(&old, host, i.bytes);
      u64 fresh = combine_atomic(i, old, read_register(frame, i.b, i.bytes, l),
                                 read_register(frame, i.c, i.bytes, l));
      memcpy(host, &fresh, i.bytes);
      if (i.d < 0) continue;
      if (i.bytes == 8) {
        lanes<u64>(frame, i.d)[l] = old;
      } else {
        lanes<u32>(frame, i.d)[l] = static_cast<u32>(old);
      }
    }
    if (space == kGlobal) {
      counter.requests++;
      counter.sectors += static_cast<u64>(count_atomic_sectors(address, part));
    } else if (space == kShared) {  // windows begin at bank 0
      counter.shared_requests++;
      auto* count = i.flags & kCountsOnes ? count_wavefronts : count_atomic_wavefronts;
      const u64 each = i.mode == kAtomCompare ? 2 : 1;  // ATOMS.CAS: the seven launches shared_cas...
      counter.wavefronts += each * static_cast<u64>(count(address, part, i.bytes));
    }
  });
}
