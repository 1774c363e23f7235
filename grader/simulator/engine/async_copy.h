// cp.async: copies from global to shared memory that a thread starts and later waits for.
//
// A copy lands at the latest moment that the PTX ISA allows: when its thread waits for it. Only then is the
// source read. Until then the destination holds what it held, and whoever touches it there is at fault.
#pragma once
#include "state.h"

// Starts one copy for each lane of `mask`, with all checks and counts.
void start_copies(Launch&, Warp&, char* frame, u32 mask, const Instruction&);

// The lanes' copies so far become a group.
void commit_copies(Warp&, u32 mask);

// Lands the lanes' copies: all, or all but those of the last `i.immediate` groups.
void wait_for_copies(Launch&, Warp&, u32 mask, const Instruction&);

// Whether the lanes may touch shared memory: false, and a fault, where a copy has not landed yet. To be asked
// only while `launch.block->bytes_in_flight`.
bool nothing_in_flight(Launch&, const Warp&, const Instruction&, const u64* address, u32 mask, int bytes);

// The block's copies are forgotten: another block takes its place.
void forget_copies(Block&);
