// Runs one warp: a loop over instructions, each a loop over the lanes of the path that runs (paths.h).
#include "warp.h"

#include <algorithm>

#include "addressing.h"
#include "async_copy.h"
#include "barriers.h"
#include "calls.h"
#include "memory.h"
#include "operations.h"
#include "paths.h"
#include "print.h"
#include "races.h"
#include "special_ops.h"
#include "trace.h"
#include "undefined.h"
#include "waits.h"

// A turn's instructions, taken from the launch's budget.
static s64 take_turn(Launch& launch) {
  const s64 turn = std::min(launch.budget, kTurn);
  launch.budget -= turn;
  return turn;
}

void run_warp(Launch& launch, Warp& warp) {
  LaunchRequest& request = *launch.request;
  const Instruction* code = request.code;
  Counter* counters = request.counters;
  warp.polled = false;
  warp.spins = true;
  warp.turns = 0;
  if (!next_path(launch, warp)) return;
  s64 left = take_turn(launch);
  // Of the running path, where the compiler can keep them in registers.
  char* frame = warp.registers.data() + warp.frame;
  u32 mask = warp.path.mask;
  s32 pc = warp.path.pc, reconverge = warp.path.reconverge;

#define STORE_PATH() (warp.path.mask = mask, warp.path.pc = pc)
#define LOAD_PATH()                                                                     \
  (frame = warp.registers.data() + warp.frame, mask = warp.path.mask, pc = warp.path.pc, \
   reconverge = warp.path.reconverge)
#define LEAVE_LOOP()       \
  do {                     \
    launch.budget += left; \
    return;                \
  } while (0)
#define NEXT_PATH()                                \
  do {                                             \
    if (!next_path(launch, warp)) LEAVE_LOOP();    \
    LOAD_PATH();                                   \
  } while (0)
#define END_TURN()                       \
  do {                                   \
    STORE_PATH();                        \
    launch.budget += left;               \
    if (!end_turn(launch, warp)) return; \
    left = take_turn(launch);            \
    LOAD_PATH();                         \
  } while (0)

  for (;;) {
    while (pc == reconverge || !mask) {  // the end of this path
      STORE_PATH();
      if (mask && arrive(warp)) {
        LOAD_PATH();
      } else {
        NEXT_PATH();
      }
    }
    const Instruction& i = code[pc];
    if (--left < 0) {
      left = 0;
      if (!launch.budget) {
        fail(launch, kBudget, i, warp, first_lane(mask));
        LEAVE_LOOP();
      }
      warp.spins = false;
      END_TURN();
      continue;
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
      case OP_ld:
        load_or_store(launch, warp, frame, active, i, false);
        if (__builtin_expect(i.flags & kStrong, 0) && active && !launch.failed() &&
            polls_in_vain(warp, frame, active, i, pc)) {
          pc++;
          END_TURN();
          continue;
        }
        break;
      case OP_st: load_or_store(launch, warp, frame, active, i, true); break;
      case OP_ld_param: load_parameter(launch, frame, active, i); break;
      case OP_atom:
        atomic(launch, warp, frame, active, i);
        if (active && !launch.failed() && polls_in_vain(warp, frame, active, i, pc)) {
          pc++;
          END_TURN();
          continue;
        }
        break;
      case OP_shfl:
      case OP_vote:
      case OP_match:
      case OP_redux:
      case OP_bar_warp:
      case OP_mma:
      case OP_wmma_load:
      case OP_wmma_store:
      case OP_ldmatrix:
      case OP_stmatrix:
      case OP_movmatrix:
        if (!active) break;
        if (!all_here(warp, frame, active, i)) {
          STORE_PATH();
          wait_for_lanes(launch, warp, frame, active, i);
          NEXT_PATH();
          continue;
        }
        warp_operation(launch, warp, frame, active, i);
        break;
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
        set_predicate(frame, i.d, active, first_predicate(frame, i) & second_predicate(frame, i));
        break;
      case OP_or_pred:
        set_predicate(frame, i.d, active, first_predicate(frame, i) | second_predicate(frame, i));
        break;
      case OP_xor_pred:
        set_predicate(frame, i.d, active, first_predicate(frame, i) ^ second_predicate(frame, i));
        break;
      case OP_not_pred: set_predicate(frame, i.d, active, ~first_predicate(frame, i)); break;
      case OP_mov_pred: set_predicate(frame, i.d, active, first_predicate(frame, i)); break;
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
          bool inside = i.space == kParam ? x - kParameters < kMostParameters : space_of(x) == i.space;
          result |= static_cast<u32>(inside) << l;
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
        STORE_PATH();
        // If the branch ends where this path ends, the lanes that arrive there are already waited for.
        if (i.reconverge != reconverge) open_join(warp, i.reconverge);
        reconverge = i.reconverge;
        split_off(warp, i.target, active);
        mask = stays;
        break;
      }
      case OP_brx: {  // one path for each target that lanes ask for; i.vector targets from i.target on
        u32 left_to_go = active, outside = 0;
        each_active(active, [&](int l) {
          outside |= static_cast<u32>(lanes<u32>(frame, i.a)[l] >= static_cast<u32>(i.vector)) << l;
        });
        if (!active) break;
        if (outside) {
          fail(launch, kUnsupported, i, warp, first_lane(outside));
          LEAVE_LOOP();
        }
        STORE_PATH();
        if (i.reconverge != reconverge) open_join(warp, i.reconverge);
        reconverge = i.reconverge;
        if (mask != active) split_off(warp, pc + 1, mask & ~active);
        int targets = 0;
        while (left_to_go) {
          u32 index = lanes<u32>(frame, i.a)[first_lane(left_to_go)], same = 0;
          each_active(left_to_go,
                      [&](int l) { same |= static_cast<u32>(lanes<u32>(frame, i.a)[l] == index) << l; });
          split_off(warp, request.lists[i.target + static_cast<s32>(index)], same);
          left_to_go &= ~same;
          targets++;
        }
        if (targets > 1) counter.requests++;
        warp.exited = true;  // all may be at the join already
        mask = 0;            // this path has ended
        continue;
      }
      case OP_exit:
        if (active & warp.awaited) fail_awaited(launch, warp, active & warp.awaited);
        warp.live &= ~active;
        warp.exited |= active != 0;
        mask &= ~active;
        if (!mask) continue;
        break;
      case OP_call:
        if (!active) break;
        STORE_PATH();
        if (mask != active) {
          split_off(warp, pc + 1, mask & ~active);
          warp.path.mask = active;
        }
        if (!enter_function(launch, warp, i, pc)) LEAVE_LOOP();
        LOAD_PATH();
        continue;
      case OP_leave:  // the last instruction of a function
        STORE_PATH();
        leave_function(launch, warp);
        LOAD_PATH();
        continue;
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
          memcpy(&message, local_memory(launch, warp, lane) + warp.local_base + i.a, 8);
          fail(launch, kAssert, i, warp, lane, message);
        }
        break;
      case OP_trap:
        if (active) fail(launch, kTrap, i, warp, first_lane(active));
        break;
      case OP_async_copy: start_copies(launch, warp, frame, active, i); break;
      case OP_async_commit: commit_copies(warp, active); break;
      case OP_async_wait: wait_for_copies(launch, warp, active, i); break;
      case OP_bar:
        if (!active) break;
        STORE_PATH();
        wait_at_barrier(warp, active, i.a >= 0 ? (predicate(frame, i.a) ^ (i.flags ? kAllLanes : 0u)) & active : 0);
        if (active == warp.live && !come_to_barrier(launch, warp)) LEAVE_LOOP();
        NEXT_PATH();
        continue;
      case OP_fence:
        if (active && launch.races) launch.races->fence(launch, warp, active, i.mode);
        break;
      case OP_clock:
        read_clock(frame, active, i, 4 * (request.budget - launch.budget - left) + launch.slept);
        break;
      case OP_sleep: {
        u32 longest = 0;
        each_active(active, [&](int l) { longest = std::max(longest, lanes<u32>(frame, i.a)[l]); });
        launch.slept += 2 * static_cast<s64>(longest);
        warp.polled = true;
        warp.polls += active ? kPolls / 4 : 0;
        if (warp.polls < kPolls) break;
        pc++;
        END_TURN();
        continue;
      }
      default: __builtin_unreachable();
    }
    if (request.fault->kind) LEAVE_LOOP();
    pc++;
  }
}
