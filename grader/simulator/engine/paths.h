// The paths of a warp: lanes have their own program counters, as on a GPU since Volta.
//
// Lanes that run together form a path. A branch splits its path; both sides end at a join, the branch's
// immediate post-dominator, where their lanes go on as one path again. Joins form a tree: each knows the path
// that goes on behind it. One path runs at a time, the one split off last first, so that a warp without waiting
// lanes works like a stack.
//
// CUDA promises progress to each lane, not that lanes meet again. So a path has a turn: when it is over, other
// paths of the warp have theirs, and when all had theirs and one of them looks at what other threads write, the
// lanes that wait at the innermost join leave it without the others, who may be waiting for them. Those lanes
// meet again at the next join outside.
#pragma once
#include "state.h"

// Warp instructions in a turn, and how often a path may see the same in memory before its turn is over.
constexpr s64 kTurn = 1 << 16;
constexpr s32 kPolls = 16;

// Turns of paths in one of the warp: more than enough for every lane, and then the other warps have theirs.
constexpr s32 kMostTurns = 3 * kLanes;

// The running path comes to a branch: its lanes will meet at `pc`.
void open_join(Warp&, s32 pc);

// Lanes of the running path go to `pc`; they end where it ends.
void split_off(Warp&, s32 pc, u32 lanes);

// The running path has come to its join. True: so have all others, and they go on as the running path.
bool arrive(Warp&);

// The running path has ended or is blocked: makes another one the running path. False where none can run: the
// warp is at a barrier of the block, or done, or a fault is recorded.
bool next_path(Launch&, Warp&);

// The running path's turn is over: another path of the warp has one. False where none needs it; then the turn
// of the warp is over, too.
bool end_turn(Launch&, Warp&);

// A load or an atomic that sees what other threads write. True: it saw the same thing so often that it waits.
bool polls_in_vain(Warp&, char* frame, u32 mask, const Instruction&, s32 pc);

// Lanes that wait at a join leave it without the others.
void release(Warp&, Join&);

// Paths that are at the same place, inside of the same branches and calls, become one.
void merge_paths(Warp&);

// The running path's lanes are in this call.
void enter_path(const Launch&, Warp&);

// A call that the running path's lanes enter: its place in Warp::calls.
s32 add_call(Warp&, const CallRecord&);

// Forgets calls that all their lanes have left.
void drop_ended_calls(Warp&);

s32 frame_of(const Warp&, const Path&);

// Where the next frame begins: behind those of all lanes.
s32 end_of_frames(const Launch&, const Warp&);

// Whether a path ends, at last, at this join.
bool leads_to(const Warp&, const Path&, s32 join);
