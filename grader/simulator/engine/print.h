// printf on the device.
#pragma once
#include "state.h"

void print(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
