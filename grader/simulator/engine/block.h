// A block of a launch.
#pragma once
#include "state.h"

// Room for a block of this launch, its warps with their frames.
void prepare_block(Launch&, Block&);

// Runs a block to its end or to the first fault.
void run_block(Launch&, Block&);
