// Runs one warp: a loop over instructions, each a loop over lanes, with a stack of paths for divergence.
//
// At a divergent branch the warp runs one side after the other; both end at `reconverge`, the branch's
// immediate post-dominator, where the lanes continue together.
#include <algorithm>

#include "special_ops.h"
#include "undefined.h"

enum Op : s32 {
#define UNARY(name, ...) OP_##name,
#define BINARY(name, ...) OP_##name,
#define TERNARY(name, ...) OP_##name,
#define SLOW1(name, ...) OP_##name,
#define SLOW2(name, ...) OP_##name,
#define SLOW3(name, ...) OP_##name,
#define CONTROL(name) OP_##name,
#include "control.inc"
#include "ops.inc"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef SLOW1
#undef SLOW2
#undef SLOW3
#undef CONTROL
};

static const char* const kOpNames[] = {
#define UNARY(name, ...) #name,
#define BINARY(name, ...) #name,
#define TERNARY(name, ...) #name,
#define SLOW1(name, ...) #name,
#define SLOW2(name, ...) #name,
#define SLOW3(name, ...) #name,
#define CONTROL(name) #name,
#include "control.inc"
#include "ops.inc"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef SLOW1
#undef SLOW2
#undef SLOW3
#undef CONTROL
};

extern "C" const char* simulator_op_name(int op) {
  return op < static_cast<int>(sizeof kOpNames / sizeof *kOpNames) ? kOpNames[op] : nullptr;
}

static void copy_local(Launch& launch, const Warp& warp, u32 mask, s32 first, s32 count, s64 source,
                       s64 target) {
  s32 limit = launch.request->local_limit;
  for (const Copy* copy = launch.request->copies + first; count > 0; count--, copy++) {
    each_active(mask, [&](int l) {
      u8* base = launch.local.data() + static_cast<s64>(warp.id * kLanes + l) * limit;
      memmove(base + target + copy->to, base + source + copy->from, copy->bytes);
    });
  }
}

// Where some register is undefined: what an instruction makes of it. False, and a fault, where it needs one.
static bool pass_undefined(Launch& launch, Warp& warp, char* frame, u32 mask, const Instruction& i) {
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
    case OP_st: return !i.address_bytes || uses(i.a);
    case OP_atom:
    case OP_shfl:
    case OP_match:
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
    case OP_assert:
    case OP_bar: return true;  // their operands lie in local memory or are predicates
    default:
      for (s32 slot : {i.a, i.b, i.c}) collect(warp, value, slot, mask);
      value.computed = value.mask != 0;
      assign(warp, i.d, mask, value);
      return true;
  }
}

constexpr size_t kMaxCalls = 256;

// Enters a function: false, and a fault, where the stack is used up.
static bool call(Launch& launch, Warp& warp, u32 mask, const Instruction& i, s32 pc) {
  const Function* functions = launch.request->functions;
  const Function &caller = functions[warp.function], &callee = functions[i.target];
  s32 local_base = warp.local_base + caller.local_bytes;
  if (warp.calls.size() >= kMaxCalls || local_base + callee.local_bytes > launch.request->local_limit) {
    fail(launch, kStack, i, warp, first_lane(mask));
    return false;
  }
  warp.calls.push_back(
      {pc + 1, warp.reconverge, mask, warp.function, warp.frame, warp.local_base, pc, warp.paths.size()});
  copy_local(launch, warp, mask, i.immediate, i.vector, warp.local_base, local_base);
  warp.frame += caller.frame_bytes;
  warp.local_base = local_base;
  return start_function(launch, warp, i.target);
}

// Lanes that jump to the kernel's end leave at once and wait for nobody, so that a barrier does not wait for
// threads that have returned.
static bool leaves_at(Launch& launch, Warp& warp, s32 pc, u32 mask) {
  const Instruction& i = launch.request->code[pc];
  if (i.op != OP_exit || i.guard >= 0) return false;
  warp.live &= ~mask;
  Counter& counter = launch.request->counters[pc];
  counter.executions++;
  counter.lanes += static_cast<u64>(__builtin_popcount(mask));
  return true;
}

void run_warp(Launch& launch, Warp& warp) {
  LaunchRequest& request = *launch.request;
  const Instruction* code = request.code;
  Counter* counters = request.counters;
  char* frame = warp.registers.data() + warp.frame;
  u32 mask = warp.mask;
  s32 pc = warp.pc, reconverge = warp.reconverge;
  const s64 turn = std::min(launch.budget, kTurn);
  s64 budget = turn;

#define LEAVE_LOOP()              \
  do {                            \
    warp.mask = mask;             \
    warp.pc = pc;                 \
    warp.reconverge = reconverge; \
    launch.budget -= turn - budget; \
    return;                       \
  } while (0)

  for (;;) {
    while (pc == reconverge || !mask) {  // this path has ended: take the next one
      if (warp.paths.empty()) {
        warp.state = WarpState::kDone;
        LEAVE_LOOP();
      }
      if (!warp.calls.empty() &&
          warp.paths.size() == warp.calls.back().paths) {  // every lane exited inside a call
        const CallRecord& record = warp.calls.back();
        warp.function = record.function, warp.frame = record.frame, warp.local_base = record.local_base;
        frame = warp.registers.data() + warp.frame;
        pc = record.return_pc, reconverge = record.reconverge, mask = record.mask & warp.live;
        warp.calls.pop_back();
        continue;
      }
      Path path = warp.paths.back();
      warp.paths.pop_back();
      pc = path.pc, reconverge = path.reconverge, mask = path.mask & warp.live;
    }
    const Instruction& i = code[pc];
    if (--budget < 0) {
      budget = 0;
      if (launch.budget == turn) fail(launch, kBudget, i, warp, first_lane(mask));
      LEAVE_LOOP();
    }
    u32 active = mask;
    if (i.guard >= 0) {
      u32 p = predicate(frame, i.guard);
      active &= i.guard_negated ? ~p : p;
    }
    Counter& counter = counters[pc];
    counter.executions++;
    counter.lanes += static_cast<u64>(__builtin_popcount(i.op == OP_bra ? mask : active));
    if (__builtin_expect(!warp.undefined.empty(), 0) && !pass_undefined(launch, warp, frame, active, i))
      LEAVE_LOOP();
    switch (i.op) {
#define UNARY(name, D, A, ...)                     \
  case OP_##name:                                  \
    unary<D, A>(frame, active, i, [&i](A x) -> D { \
      (void)i;                                     \
      return __VA_ARGS__;                          \
    });                                            \
    pc++;                                          \
    continue;
#define BINARY(name, D, A, B, ...)                                                \
  case OP_##name:                                                                 \
    binary<D, A, B>(frame, active, i, [](A x, B y) -> D { return __VA_ARGS__; }); \
    pc++;                                                                         \
    continue;
#define TERNARY(name, D, A, B, C, ...)                                                     \
  case OP_##name:                                                                          \
    ternary<D, A, B, C>(frame, active, i, [](A x, B y, C z) -> D { return __VA_ARGS__; }); \
    pc++;                                                                                  \
    continue;
#define SLOW1(name, D, A, ...)                               \
  case OP_##name:                                            \
    each_active(active, [&](int l) {                         \
      A x = static_cast<A>(lanes<A>(frame, i.a)[l]);         \
      lanes<D>(frame, i.d)[l] = static_cast<D>(__VA_ARGS__); \
    });                                                      \
    pc++;                                                    \
    continue;
#define SLOW2(name, D, A, B, ...)                            \
  case OP_##name:                                            \
    each_active(active, [&](int l) {                         \
      A x = static_cast<A>(lanes<A>(frame, i.a)[l]);         \
      B y = static_cast<B>(lanes<B>(frame, i.b)[l]);         \
      lanes<D>(frame, i.d)[l] = static_cast<D>(__VA_ARGS__); \
    });                                                      \
    pc++;                                                    \
    continue;
#define SLOW3(name, D, A, B, C, ...)                         \
  case OP_##name:                                            \
    each_active(active, [&](int l) {                         \
      A x = static_cast<A>(lanes<A>(frame, i.a)[l]);         \
      B y = static_cast<B>(lanes<B>(frame, i.b)[l]);         \
      C z = static_cast<C>(lanes<C>(frame, i.c)[l]);         \
      lanes<D>(frame, i.d)[l] = static_cast<D>(__VA_ARGS__); \
    });                                                      \
    pc++;                                                    \
    continue;
#include "ops.inc"
      case OP_nop: break;
      case OP_unpack: unpack(frame, active, i); break;
      case OP_pack4: pack4(frame, active, i); break;
      case OP_ld: load_or_store(launch, warp, frame, active, i, false); break;
      case OP_st: load_or_store(launch, warp, frame, active, i, true); break;
      case OP_ld_param: load_parameter(launch, frame, active, i); break;
      case OP_atom: atomic(launch, warp, frame, active, i); break;
      case OP_shfl: shuffle(launch, warp, frame, active, i); break;
      case OP_vote: vote(launch, warp, frame, active, i); break;
      case OP_match: match(launch, warp, frame, active, i); break;
      case OP_redux: reduce(launch, warp, frame, active, i); break;
      case OP_activemask: {
        u32* d = lanes<u32>(frame, i.d);
        EACH_LANE d[l] = (active >> l & 1) ? active : d[l];
        break;
      }
      case OP_setp: set_comparison(frame, active, i); break;
      case OP_set: set_register(frame, active, i); break;
      case OP_setp2: set_register2(frame, active, i, true); break;
      case OP_set2: set_register2(frame, active, i, false); break;
      case OP_testp: set_predicate(frame, i.d, active, test_property(frame, active, i)); break;
      case OP_selp_b32: select<u32>(frame, active, i); break;
      case OP_selp_b64: select<u64>(frame, active, i); break;
      case OP_and_pred:
        set_predicate(frame, i.d, active, predicate(frame, i.a) & predicate(frame, i.b));
        break;
      case OP_or_pred:
        set_predicate(frame, i.d, active, predicate(frame, i.a) | predicate(frame, i.b));
        break;
      case OP_xor_pred:
        set_predicate(frame, i.d, active, predicate(frame, i.a) ^ predicate(frame, i.b));
        break;
      case OP_not_pred: set_predicate(frame, i.d, active, ~predicate(frame, i.a)); break;
      case OP_mov_pred: set_predicate(frame, i.d, active, predicate(frame, i.a)); break;
      case OP_carry_b32: carry<u32>(frame, active, i); break;
      case OP_carry_b64: carry<u64>(frame, active, i); break;
      case OP_local_address:
        each_active(active, [&](int l) {
          lanes<u64>(frame, i.d)[l] = static_cast<u64>(i.immediate + warp.local_base);
        });
        break;
      case OP_isspacep: {
        u32 result = 0;
        each_active(active, [&](int l) {
          u64 x = lanes<u64>(frame, i.a)[l];
          s32 space = x - kSharedWindow < kWindowBytes  ? kShared
                      : x - kLocalWindow < kWindowBytes ? kLocal
                                                        : kGlobal;
          result |= static_cast<u32>(space == i.space) << l;
        });
        set_predicate(frame, i.d, active, result);
        break;
      }
      case OP_bra: {
        u32 stays = mask & ~active;
        if (!stays) {
          pc = i.target;
          continue;
        }
        if (!active) break;
        counter.requests++;
        // If the branch ends where this path ends, the lanes that arrive there are already waited for.
        if (i.reconverge != reconverge) warp.paths.push_back({i.reconverge, reconverge, mask});
        reconverge = i.reconverge;
        if (!leaves_at(launch, warp, i.target, active) && i.target != reconverge) {
          warp.paths.push_back({i.target, reconverge, active});
        }
        mask = stays;
        break;
      }
      case OP_brx: {  // one path for each target that lanes ask for; i.vector targets from i.target on
        u32 left = active, outside = 0;
        each_active(active, [&](int l) {
          outside |= static_cast<u32>(lanes<u32>(frame, i.a)[l] >= static_cast<u32>(i.vector)) << l;
        });
        if (!active) break;
        if (outside) {
          fail(launch, kUnsupported, i, warp, first_lane(outside));
          LEAVE_LOOP();
        }
        if (i.reconverge != reconverge) warp.paths.push_back({i.reconverge, reconverge, mask});
        reconverge = i.reconverge;
        if (mask != active) warp.paths.push_back({pc + 1, reconverge, mask & ~active});
        int targets = 0;
        while (left) {
          u32 index = lanes<u32>(frame, i.a)[first_lane(left)], same = 0;
          each_active(left,
                      [&](int l) { same |= static_cast<u32>(lanes<u32>(frame, i.a)[l] == index) << l; });
          warp.paths.push_back(
              {request.branch_targets[i.target + static_cast<s32>(index)], reconverge, same});
          left &= ~same;
          targets++;
        }
        if (targets > 1) counter.requests++;
        mask = 0;  // the next path is taken from the stack
        continue;
      }
      case OP_exit:
        warp.live &= ~active;
        mask &= ~active;
        if (!mask) continue;
        break;
      case OP_call: {
        if (active != mask) {
          fail(launch, kUnsupported, i, warp, first_lane(mask));
          LEAVE_LOOP();
        }
        warp.reconverge = reconverge;
        if (!call(launch, warp, mask, i, pc)) LEAVE_LOOP();
        frame = warp.registers.data() + warp.frame;
        forget_frame(warp, warp.frame);
        pc = request.functions[i.target].entry;
        reconverge = -1;
        continue;
      }
      case OP_leave: {  // the last instruction of a function: all its lanes are here
        CallRecord record = warp.calls.back();
        warp.calls.pop_back();
        forget_frame(warp, warp.frame);
        const Instruction& site = code[record.call_pc];
        mask = record.mask & warp.live;
        copy_local(launch, warp, mask, static_cast<s32>(site.immediate) + site.vector, site.bytes,
                   warp.local_base, record.local_base);
        warp.function = record.function, warp.frame = record.frame, warp.local_base = record.local_base;
        frame = warp.registers.data() + warp.frame;
        pc = record.return_pc, reconverge = record.reconverge;
        continue;
      }
      case OP_print: print(launch, warp, frame, active, i); break;
      case OP_assert:
        if (active) {  // the address of the message is the first parameter
          int lane = first_lane(active);
          u64 message;
          memcpy(&message,
                 launch.local.data() + static_cast<s64>(warp.id * kLanes + lane) * request.local_limit +
                     warp.local_base + i.a,
                 8);
          fail(launch, kAssert, i, warp, lane, message);
        }
        break;
      case OP_trap:
        if (active) fail(launch, kTrap, i, warp, first_lane(active));
        break;
      case OP_bar_warp: {
        u32 named = lanes<u32>(frame, i.a)[first_lane(mask)];
        if (named & warp.live & ~active)
          fail(launch, kUnsupported, i, warp, first_lane(named & warp.live & ~active));
        break;
      }
      case OP_bar:
        if (active != warp.live) {
          // barrier.sync (i.vector) may be reached from several places, which is not modelled; bar.sync may
          // not.
          fail(launch, i.vector ? kUnsupported : kBarrier, i, warp, first_lane(warp.live & ~active));
          LEAVE_LOOP();
        }
        warp.state = WarpState::kAtBarrier;
        warp.barrier_vote = i.a >= 0 ? (predicate(frame, i.a) ^ (i.flags ? kAllLanes : 0u)) & active : 0;
        LEAVE_LOOP();  // `pc` stays: launch.cpp finishes the barrier when every warp has come
      default: __builtin_unreachable();
    }
    if (request.fault->kind) LEAVE_LOOP();
    pc++;
  }
}
