// What the simulated device says of itself: a GPU of compute capability 8.0, as the simulator and the grader's
// occupancy calculator take it.
//
// Limits: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", column 8.0. Size, clocks
// and caches, which no code may rely on, are those of an A100 (NVIDIA A100 Tensor Core GPU Architecture, table 4).
#pragma once

#include <cstdint>

namespace grader::facts {

constexpr char NAME[] = "Simulated GPU, compute capability 8.0";

constexpr int MAJOR = 8, MINOR = 0;
constexpr int WARP = 32;
constexpr int BLOCK_THREADS = 1024;
constexpr int BLOCK[3] = {1024, 1024, 64};
constexpr int GRID[3] = {2147483647, 65535, 65535};
constexpr int BLOCK_SHARED = 48 << 10;         // bytes
constexpr int BLOCK_SHARED_OPTIN = 163 << 10;  // where a kernel asks for it
constexpr int RESERVED_SHARED = 1 << 10;       // the driver's, in every block
constexpr int SHARED_UNIT = 128;               // a block gets shared memory in units of so many bytes
constexpr int CONSTANT_BYTES = 64 << 10;

constexpr int SM_THREADS = 2048, SM_BLOCKS = 32, SM_SHARED = 164 << 10, SM_REGISTERS = 65536;
constexpr int REGISTER_UNIT = 256;  // a warp gets registers in units of so many
constexpr int SM_PARTITIONS = 4;    // each has a quarter of the registers

constexpr int SM_COUNT = 108;
constexpr int CLOCK_KHZ = 1410000, MEMORY_CLOCK_KHZ = 1215000, MEMORY_BUS_BITS = 5120;
constexpr int L2_BYTES = 40 << 20;

// Registers of a thread, for occupancy. They are ptxas's choice, and ptxas is not asked here: as many as let a
// multiprocessor be full.
constexpr int THREAD_REGISTERS = 32;

constexpr int LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5;

constexpr int DRIVER_VERSION = 13000, RUNTIME_VERSION = 13000;

}  // namespace grader::facts
