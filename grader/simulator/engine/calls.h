// Calls of device functions: frames of registers and of local memory on a stack.
#pragma once
#include "state.h"

// Enters the function that a call at `pc` names: false, and a fault, where the stack is used up.
bool enter_function(Launch&, Warp&, u32 mask, const Instruction&, s32 pc);

// Back to the caller, with the results: what there is to go on from. The warp's function and frame are the
// caller's again.
CallRecord leave_function(Launch&, Warp&);
