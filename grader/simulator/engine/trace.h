// The steps of one warp, noted for those who ask: see abi.h, Trace.
#pragma once
#include "state.h"

bool is_traced(const Launch&, s64 block, int warp);

// Before an instruction of the traced warp: completes the step before it, whose registers are written by now,
// and begins a new one.
void trace_step(Launch&, const Warp&, u32 path, u32 active, const Instruction&);

// The traced warp's turn is over: completes its last step before others touch the counters.
void trace_turn(Launch&, const Warp&);
