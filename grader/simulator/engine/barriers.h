// The sixteen barriers of a block.
//
// PTX ISA 9.0, bar and barrier: a warp comes to a barrier when all its lanes that have not exited are there (at
// the same instruction, or, without .aligned, at any that names the same barrier), and counts as 32 threads. With
// a count, a barrier opens when so many have come; without one, when all threads of the block that have not
// exited have. bar.arrive comes and goes on; bar.red counts or combines the predicates of those that wait.
#pragma once
#include "state.h"

// Instruction::mode of OP_bar; i.b number, i.c count (-1: none), i.a predicate (negated if i.flags), i.d result,
// i.vector: without .aligned; i.immediate the number where it is a constant and there is no count, else -1.
enum BarrierMode : s32 { kBarSync = 0, kBarPopc, kBarAnd, kBarOr, kBarArrive };

// All live lanes of the warp are at barriers. True: it goes on. False: it waits, or a fault is recorded.
bool come_to_barrier(Launch&, Warp&);

// Opens the barriers without a count to which every warp has come. Whether there were any.
bool open_barriers(Launch&, Block&);

// No warp of the block can ever go on.
void fail_deadlock(Launch&, Block&);
