// What one access of a warp costs the memory system, by the addresses of its lanes. The counts are those of Nsight
// Compute on an NVIDIA H200 (tests/simulator/h200_counters.csv).
#pragma once
#include "abi.h"

// How many 32-byte sectors of global memory the active lanes touch. An aligned access lies in one sector.
// `address` has a value for every lane.
int count_sectors(const u64* address, u32 mask);

// The same for an atomic: lanes at one address take turns, and the lanes at other addresses of the sector go with one
// of them. On the H200 a warp that adds to one float takes 32 sectors. Right in 39 of 44 launches; where lanes share
// addresses in no order, it was seen to take up to 6% more (histogram_global, voxel_maximum, atom_any_256).
int count_atomic_sectors(const u64* address, u32 mask);

// Passes through the banks of shared memory: 32 banks of 4 bytes, lanes at the same word share a pass.
int count_wavefronts(const u64* address, u32 mask, int bytes);

// The same for a load. Where the lanes read in pairs, each what its neighbour reads (lane ^ 1, or lane ^ 2), two lanes'
// values of 8 or 16 bytes come back at once, and half the passes do (NVIDIA's developer forum, topic 77228, on compute
// capability 7.x; so it is on the H200, in the 8 launches banks_8_pairs_... and banks_16_pairs_...).
int count_load_wavefronts(const u64* address, u32 mask, int bytes);

// The same for an atomic: lanes at the same word take turns. A compare-and-swap needs twice as many (atomics.cpp).
int count_atomic_wavefronts(const u64* address, u32 mask, int bytes);

// Sectors of local memory. The hardware interleaves the threads' 4-byte words: word w of lane l lies in sector
// 4 w + l / 8, so that 8 neighbouring lanes at the same offset share one. `offset` is in the thread's own memory.
int count_local_sectors(const u64* offset, u32 mask, int bytes);

// Requests to local memory of one access: one for each word of a lane (the H200 counts 2 for LDL.64, 4 for STL.128).
int count_local_requests(int bytes);

// What a copy from global to shared memory costs (cp.async). Where all lanes only write zeros, the H200 counts no
// request and no sector, only an instruction (padded_with_zeros and four more launches).
struct CopyCost {
  int sectors;       // as the counter of loads counts them
  int copy_sectors;  // as that of copies does
  int wavefronts;    // an estimate
};

// Through L1 (LDGSTS): as a load; the words must leave their banks there and enter those here, and the worse of the two
// decides (twelve launches async_4..., async_8...; 16 bytes with .ca were not measured).
CopyCost count_copy(const u64* from, const u64* to, u32 reading, u32 mask, int bytes);

// Past L1, 16 bytes a lane (LDGSTS.BYPASS): L2's sectors go straight to shared memory. Loads count the sectors written
// there, copies the pairs of a sector read and a sector written. The two differ from the sectors read only where the
// lanes' addresses here and there do not move in step; two launches show that (async_16_step_1_jump_32,
// async_16_step_4_jump_16), and no other contradicts. A wavefront moves what has one line there, one line here, one
// shift between their sectors, and is whole sectors or the same half of all; lanes that write zeros have their own.
CopyCost count_copy_past_l1(const u64* from, const u64* to, u32 reading, u32 zeros);
