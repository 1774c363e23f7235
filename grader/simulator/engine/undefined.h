// Values from shared memory that nobody in the block wrote, and from global memory that nobody ever wrote.
//
// Loading or copying one is no fault: structures are copied with their padding, and compilers load and compute
// what they then do not select. A lane's register stays undefined until it is written; what is computed from it
// is undefined, too. The fault, at the load, comes where such a value decides something or gets where others
// find it: in a comparison, an address, an atomic or warp function, a store to global memory, and any store of
// a computed one. A copy in shared memory counts as not written. Local memory forgets, and so does global memory
// where a word's first bytes are written: so structures are copied, too.
//
// So it is with values that a shuffle reads from lanes that take no part in it.
#pragma once
#include "state.h"

// Adds the undefined lanes of a register to a value's.
void collect(Warp&, Undefined& into, s32 slot, u32 mask);

// The lanes in `mask` of a register get a value, of which `value.mask` are undefined.
void assign(Warp&, s32 slot, u32 mask, const Undefined& value);

// The lanes of a register are needed: false, and a fault at the load, where one is undefined.
bool use(Launch&, Warp&, s32 slot, u32 mask, bool only_computed = false);

// What lies at `begin` or behind it in the warp's registers belongs to a function that starts or has ended.
void forget_frame(Warp&, s32 begin);

// A load read bytes of shared or global memory of which some are not written: its registers are undefined.
void loaded_undefined(Launch&, Warp&, const Instruction&, s32 space, const u64* address, u32 mask);

// A store, whose bytes are marked as written already: false, and a fault, where it needs what it stores.
bool stored_undefined(Launch&, Warp&, const Instruction&, s32 space, const u64* address, u32 mask);

// Where some register is undefined: what an instruction makes of it. False, and a fault, where it needs one.
bool pass_undefined(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
