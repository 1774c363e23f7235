// What the lanes of a warp do together. `mask`: all lanes that the masks name and that have not exited (waits.h).
#pragma once
#include "state.h"

void shuffle(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void vote(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void match(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void reduce(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
