// Shuffles, votes, matches, reductions.
#include "collectives.h"

#include "convert.h"
#include "undefined.h"

namespace {

// Which lanes get a value that is undefined: that of a lane that does not take part, or an undefined one.
void pass_values(Launch& launch, Warp& warp, u32 mask, const Instruction& i, const u32* from) {
  Undefined source{}, value{};
  collect(warp, source, i.a, mask);
  value.computed = source.computed;
  each_active(mask, [&](int l) {
    const u32 k = from[l];
    const bool absent = !(mask >> k & 1);
    if (!absent && !(source.mask >> k & 1)) return;
    value.mask |= 1u << l;
    value.pc[l] = absent ? pc_of(launch, i) : source.pc[k];
    value.address[l] = absent ? k : source.address[k];
  });
  assign(warp, i.d, mask, value);
}

}  // namespace

// i.a value, i.b lane, i.c clamp, i.e mask, i.values[0] the predicate that says whether the source was in
// range.
void shuffle(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i) {
  u32 source[kLanes];
  memcpy(source, frame + i.a, sizeof source);
  const u32 *b = lanes<u32>(frame, i.b), *c = lanes<u32>(frame, i.c);
  u32* d = i.d >= 0 ? lanes<u32>(frame, i.d) : nullptr;
  u32 from[kLanes], in_range = 0;
  EACH_LANE {
    u32 lane = static_cast<u32>(l), distance = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;
    u32 lowest = lane & segment, highest = lowest | (clamp & ~segment);
    u32 up = lane - distance, down = lane + distance, index = lowest | (distance & ~segment),
        cross = lane ^ distance;
    u32 wanted = i.mode == kShuffleUp      ? up
                 : i.mode == kShuffleDown  ? down
                 : i.mode == kShuffleIndex ? index
                                           : cross;
    // `up` wraps below zero; its clamp is the lowest lane that may be read.
    bool valid =
        i.mode == kShuffleUp ? static_cast<s32>(wanted) >= static_cast<s32>(highest) : wanted <= highest;
    from[l] = valid ? wanted & 31 : lane;
    in_range |= valid ? 1u << l : 0u;
  }
  // What a lane that is not there holds is undefined: a value that shows, and a fault where it is used.
  if (d) {
    if (mask != kAllLanes || !warp.undefined.empty()) pass_values(launch, warp, mask, i, from);
    EACH_LANE {
      u32 value = (mask >> from[l] & 1) ? source[from[l]] : 0xcdcdcdcdu;
      d[l] = (mask >> l & 1) ? value : d[l];
    }
  }
  if (i.values[0] >= 0) set_predicate(frame, i.values[0], mask, in_range);
}

// i.a predicate (negated if i.flags), i.e mask.
void vote(Launch&, Warp&, char* frame, u32 mask, const Instruction& i) {
  u32 votes = predicate(frame, i.a) ^ (i.flags ? kAllLanes : 0u);
  u32 truth = 0;
  each_active(mask, [&](int l) {
    u32 named = lanes<u32>(frame, i.e)[l] & mask, yes = votes & named;
    if (i.mode == kVoteBallot) {
      lanes<u32>(frame, i.d)[l] = yes;
      return;
    }
    bool result = i.mode == kVoteAll ? yes == named : i.mode == kVoteAny ? yes != 0 : yes == named || yes == 0;
    truth |= static_cast<u32>(result) << l;
  });
  if (i.mode != kVoteBallot) set_predicate(frame, i.d, mask, truth);
}

// i.a value, i.e mask, i.values[0] the predicate of kMatchAll.
void match(Launch&, Warp&, char* frame, u32 mask, const Instruction& i) {
  u32 result[kLanes] = {}, all_same = 0;
  auto value = [&](int l) { return i.bytes == 8 ? lanes<u64>(frame, i.a)[l] : lanes<u32>(frame, i.a)[l]; };
  each_active(mask, [&](int l) {
    u32 named = lanes<u32>(frame, i.e)[l] & mask, same = 0;
    each_active(named, [&](int k) { same |= static_cast<u32>(value(k) == value(l)) << k; });
    bool all = same == named;
    result[l] = i.mode == kMatchAny ? same : (all ? named : 0);
    all_same |= static_cast<u32>(all) << l;
  });
  each_active(mask, [&](int l) { lanes<u32>(frame, i.d)[l] = result[l]; });
  if (i.values[0] >= 0) set_predicate(frame, i.values[0], mask, all_same);
}

// i.a value, i.e mask; i.type: kS32 or kU32.
void reduce(Launch&, Warp&, char* frame, u32 mask, const Instruction& i) {
  u32 source[kLanes];
  memcpy(source, frame + i.a, sizeof source);
  each_active(mask, [&](int l) {
    u32 named = lanes<u32>(frame, i.e)[l] & mask;
    u32 total = source[first_lane(named)];
    each_active(named & (named - 1), [&](int k) {
      u32 x = source[k];
      bool less = i.type == kS32 ? static_cast<s32>(x) < static_cast<s32>(total) : x < total;
      switch (i.mode) {
        case kReduceAdd: total += x; break;
        case kReduceMin: total = less ? x : total; break;
        case kReduceMax: total = less ? total : x; break;
        case kReduceAnd: total &= x; break;
        case kReduceOr: total |= x; break;
        default: total ^= x; break;
      }
    });
    lanes<u32>(frame, i.d)[l] = total;
  });
}
