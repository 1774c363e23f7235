// Calls of device functions: frames of registers and of local memory on a stack.
#pragma once
#include "state.h"

// The running path enters the function that a call at `pc` names: false, and a fault, where the stack is used up.
bool enter_function(Launch&, Warp&, const Instruction&, s32 pc);

// The running path goes back to the caller, with the results.
void leave_function(Launch&, Warp&);
