#include "races.h"

void Races::begin_block(Launch&) {}
void Races::block_barrier(Launch&, u32) {}
void Races::warp_barrier(Launch&, Warp&, u32) {}
void Races::fence(Launch&, Warp&, u32, int) {}
bool Races::access(Launch&, Warp&, const Instruction&, s32, const u64*, u32, int, bool, bool) { return true; }
