// Runs one warp: a loop over instructions, each a loop over lanes, with a stack of paths for divergence.
//
// At a divergent branch the warp runs one side after the other; both end at `reconverge`, the branch's
// immediate post-dominator, where the lanes continue together.
#include <algorithm>

#include "async_copy.h"
#include "calls.h"
#include "matrix.h"
#include "operations.h"
#include "races.h"
#include "special_ops.h"
#include "trace.h"
#include "undefined.h"

// Lanes that jump to the kernel's end leave at once and wait for nobody, so that a barrier does not wait for
// threads that have returned.
static bool leaves_at(Launch& launch, Warp& warp, s32 pc, u32 mask) {
  const Instruction& i = launch.request->code[pc];
  if (i.op != OP_exit || i.guard >= 0) return false;
  if (warp.traced) trace_step(launch, warp, mask, mask, i);
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
    if (__builtin_expect(warp.traced, 0)) trace_step(launch, warp, mask, active, i);
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
        if (!enter_function(launch, warp, mask, i, pc)) LEAVE_LOOP();
        frame = warp.registers.data() + warp.frame;
        pc = request.functions[i.target].entry;
        reconverge = -1;
        continue;
      }
      case OP_leave: {  // the last instruction of a function: all its lanes are here
        const CallRecord record = leave_function(launch, warp);
        mask = record.mask & warp.live;
        frame = warp.registers.data() + warp.frame;
        pc = record.return_pc, reconverge = record.reconverge;
        continue;
      }
      case OP_bad_call:
        if (active) {
          int lane = first_lane(active);
          fail(launch, kBadCall, i, warp, lane, lanes<u64>(frame, i.a)[lane]);
        }
        break;
      case OP_print: print(launch, warp, frame, active, i); break;
      case OP_assert:
        if (active) {  // the address of the message is the first parameter
          int lane = first_lane(active);
          u64 message;
          memcpy(&message,
                 launch.block->local.data() + static_cast<s64>(warp.id * kLanes + lane) * request.local_limit +
                     warp.local_base + i.a,
                 8);
          fail(launch, kAssert, i, warp, lane, message);
        }
        break;
      case OP_trap:
        if (active) fail(launch, kTrap, i, warp, first_lane(active));
        break;
      case OP_async_copy: start_copies(launch, warp, frame, active, i); break;
      case OP_async_commit: commit_copies(warp, active); break;
      case OP_async_wait: wait_for_copies(launch, warp, active, i); break;
      case OP_fence:
        if (launch.races && active) launch.races->fence(launch, warp, active, i.mode);
        break;
      case OP_mma: multiply_matrices(launch, warp, frame, active, i); break;
      case OP_wmma_load: move_fragment(launch, warp, frame, active, i, false); break;
      case OP_wmma_store: move_fragment(launch, warp, frame, active, i, true); break;
      case OP_ldmatrix: move_rows(launch, warp, frame, active, i, false); break;
      case OP_stmatrix: move_rows(launch, warp, frame, active, i, true); break;
      case OP_movmatrix: transpose_matrix(launch, warp, frame, active, i); break;
      case OP_bar_warp: {
        u32 named = lanes<u32>(frame, i.a)[first_lane(mask)];
        if (named & warp.live & ~active)
          fail(launch, kUnsupported, i, warp, first_lane(named & warp.live & ~active));
        if (launch.races) launch.races->warp_barrier(launch, warp, active);
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
