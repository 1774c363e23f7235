// A block of a launch: its warps take turns.
#pragma once
#include "state.h"

// Room for a block of this launch, its warps with their frames.
void prepare_block(Launch&, Block&);

// A prepared block, or one that is done, becomes the block `number` of the grid.
void begin_block(Launch&, Block&, s64 number);

// Runs it. True: it is done, or a fault is recorded. False: its warps wait for other blocks, or have run long.
bool run_block(Launch&, Block&);
