// The first contents of a function's frame: constants and special registers.
#pragma once
#include "state.h"

// Gives a function its frame: constants in place, special registers filled.
void start_function(Launch&, Warp&, int function);

// Fills the special registers that are not the same in every block.
void fill_block_specials(Launch&, Warp&, const Function&);
