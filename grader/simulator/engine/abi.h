// The plain data that the Python side and the engine share.
//
// A *frame* holds the registers of one warp in one function. A 16- or 32-bit register is 32 lanes of 4 bytes,
// a 64-bit register 32 lanes of 8 bytes, a predicate one 32-bit mask. Instructions name registers by their
// byte offset in the frame. Constants and special registers are ordinary slots, filled when a frame begins.
#pragma once
#include <cstdint>

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;

constexpr int kLanes = 32;
constexpr u32 kAllLanes = 0xffffffffu;

// Where a generic address lies. Global buffers lie above both windows; nothing lies below kNullLimit.
constexpr u64 kNullLimit = 1ull << 20;
constexpr u64 kLocalWindow = 0x6e0000000000ull;
constexpr u64 kSharedWindow = 0x6f0000000000ull;
constexpr u64 kWindowBytes = 1ull << 32;
// The parameters of a kernel that takes their address: a read-only buffer below all others.
constexpr u64 kParameters = 0x700000000000ull - (1 << 20);
constexpr u64 kMostParameters = 1 << 15;  // bytes

enum Space : s32 { kGeneric = 0, kGlobal, kShared, kLocal, kParam, kConst };

// What simulator_launch gives where the host has no memory left; else it is a FaultKind.
constexpr int kOutOfMemory = -1;

enum FaultKind : s32 {
  kNoFault = 0,
  kOutOfBounds,
  kMisaligned,
  kNullPointer,
  kFreedPointer,
  kReadOnly,
  kSharedOutOfBounds,
  kLocalOutOfBounds,
  kUninitialisedShared,
  kBarrier,
  kShuffle,
  kBudget,
  kTrap,
  kAssert,
  kStack,
  kUnsupported,
  kRace = 20,
  kUninitialisedGlobal,
  kDeadlock = 30,
  kBadCall = 40,
  kAsyncCopy = 50,
};

// One decoded instruction. Offsets of registers are bytes into the frame; -1 means "none".
struct Instruction {
  s32 op;
  s32 guard, guard_negated;
  s32 d, a, b, c, e;
  s32 target, reconverge;  // indices of instructions
  s32 mode;                // comparison, rounding, shuffle kind, atomic operation, ...
  s32 flags;
  s32 space;
  s32 bytes, vector;  // of one element; how many elements
  s32 address_bytes;  // width of the address register in `a`; 0: the address is `immediate` alone
  s32 type, source_type;
  s32 values[4];  // registers of a vector load or store, and other lists
  s64 immediate;
};

// What one instruction did, over the whole launch.
struct Counter {
  u64 executions;  // by warps
  u64 lanes;       // by threads: active and predicated true
  u64 requests;    // global memory: with at least one such lane; branches: divergent ones
  u64 sectors;     // of 32 bytes that those requests touched
  u64 shared_requests;
  u64 wavefronts;  // passes that those requests took
  u64 local_requests;  // one for each word of a lane
  u64 local_sectors;
  u64 copy_sectors;  // cp.async: the same sectors, as the copies' own metric counts them
};

struct Allocation {
  u64 base, bytes;
  u64 read_only, freed;
  u64 unwritten;  // bytes that nobody wrote yet; 0 also where nobody looks
};

// A program's functions; the first is the kernel.
constexpr s32 kKernel = 0;

struct Function {
  s32 entry;
  s32 frame_bytes;
  s32 image;                    // byte offset of the frame's first contents
  s32 first_special, specials;  // in the table of special registers
  s32 local_bytes;              // of local memory a thread uses in this function
};

struct Special {
  s32 kind, slot;
};

// An argument or a result of a call: bytes to copy between the local frames of caller and callee.
struct Copy {
  s32 from, to, bytes;
};

constexpr int kCallers = 8;

// `address` is of memory; for a fault that is not about memory: the budget, a mask, a lane, a barrier's number, or
// the address of an assertion's message. `bytes` is of the access; in a deadlock how many threads have come.
struct FaultRecord {
  s32 kind, pc, thread, space, bytes, detail;
  s32 block[3];
  s32 other_pc, other_thread, other_block[3];  // the other side of a race or of a wait
  s32 callers[kCallers];                       // the calls that the thread is in, the innermost first; -1: no more
  u64 address;
};

// How an instruction orders memory: bits of `flags` of loads, stores and atomics.
enum OrderFlag : s32 {
  kStrong = 1 << 12,      // volatile, relaxed or stronger
  kBlockScope = 1 << 13,  // of scope .cta: strong among the threads of one block alone
  kAcquire = 1 << 14,
  kRelease = 1 << 15,
  kPastCache = 1 << 16,  // a load that no multiprocessor's own cache answers: .cg, .cv
};

// What a load makes of a narrow value, and whether its register has 8 bytes: bits of `flags`.
enum MemoryFlag : s32 { kSignExtend = 1, kWideRegister = 2 };

enum CheckFlag : s32 { kCheckRaces = 1 };

// What an instruction writes and touches, for a trace: up to four registers and their bytes a lane (0: a
// predicate; slot -1: none), and whether its address is worth noting.
struct TraceShape {
  s32 slot[4], bytes[4];
  s32 address;
};

// One instruction that the traced warp executed. Its rows of 32 values: the lanes' addresses if any are noted,
// then what its registers hold afterwards; none if no lane was active.
struct TraceStep {
  s32 pc;
  u32 path, active, live;  // lanes: on this path; of them, with a true guard; not exited
  s32 first_row, rows;
  u32 requests, sectors, shared_requests, wavefronts;  // what it added to its counter, local memory like global
};

// The steps of one warp. The last step is `open` while nothing came after it: its registers and counters are
// not there yet.
struct Trace {
  const TraceShape* shapes;  // one an instruction
  TraceStep* steps;
  u64 (*rows)[kLanes];
  s64 most_steps, steps_used;
  s64 most_rows, rows_used;
  s64 block;  // linear number
  s32 warp;
  s32 open, cut;  // cut: there was no room for more
  s32 frame;      // of the open step
};

// What Python hands over for one launch; the same fields in the same order in native.py.
struct LaunchRequest {
  const Instruction* code;
  const Function* functions;
  const Special* specials;
  const Copy* copies;
  const u8* images;
  const u8* params;
  Allocation* allocations;
  Counter* counters;
  FaultRecord* fault;
  char* output;
  const s32* lists;  // one behind the other: targets of brx.idx, registers of matrix instructions
  Trace* trace;     // of one warp; null: none
  s64 host_offset;  // host address = device address + host_offset
  s64 written_offset;  // device address + this: the byte that says whether that byte was ever written; 0: no such
  s64 budget;       // warp instructions
  s64 code_count, allocation_count, params_bytes, output_bytes;
  s64 output_used;
  s64 first_block, last_block;  // linear numbers: x runs fastest
  s32 grid[3], block[3];
  s32 shared_bytes, local_limit, dynamic_shared_bytes;
  s32 checks;   // of CheckFlag
  s32 workers;  // threads of the host that share the blocks
};
