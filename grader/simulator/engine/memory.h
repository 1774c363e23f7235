// Loads, stores and atomics: checked, done, counted.
#pragma once
#include "state.h"

void load_or_store(Launch&, Warp&, char* frame, u32 mask, const Instruction&, bool store);
void atomic(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
