// The plain data that the Python side and the engine share, and the state of a running launch.
//
// A *frame* holds the registers of one warp in one function. A 16- or 32-bit register is 32 lanes of 4 bytes,
// a 64-bit register 32 lanes of 8 bytes, a predicate one 32-bit mask. Instructions name registers by their
// byte offset in the frame. Constants and special registers are ordinary slots, filled when a frame begins.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

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

// Warp instructions that a warp runs before the others of its block have their turn.
constexpr s64 kTurn = 1 << 16;

enum Space : s32 { kGeneric = 0, kGlobal, kShared, kLocal, kParam, kConst };

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
};

struct Allocation {
  u64 base, bytes;
  u64 read_only, freed;
};

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

struct FaultRecord {
  s32 kind, pc, thread, space, bytes, detail;
  s32 block[3];
  s32 unused;
  u64 address;
};

// What Python hands over for one launch; the same fields in the same order in native.py.
struct LaunchRequest {
  const Instruction* code;
  const Function* functions;
  const Special* specials;
  const Copy* copies;
  const u8* images;
  const u8* params;
  const Allocation* allocations;
  Counter* counters;
  FaultRecord* fault;
  char* output;
  const s32* branch_targets;
  s64 host_offset;  // host address = device address + host_offset
  s64 budget;       // warp instructions
  s64 code_count, allocation_count, params_bytes, output_bytes;
  s64 output_used;
  s64 first_block, last_block;  // linear numbers: x runs fastest
  s32 kernel;
  s32 grid[3], block[3];
  s32 shared_bytes, local_limit, dynamic_shared_bytes;
  s32 unused;
};

// Lanes that wait to run from `pc`, until they reach `reconverge`.
struct Path {
  s32 pc, reconverge;
  u32 mask;
};

struct CallRecord {
  s32 return_pc, reconverge;
  u32 mask;
  s32 function, frame, local_base;
  s32 call_pc;
  size_t paths;
};

// Memory for the frames of a warp, aligned so that no vector of lanes crosses a cache line.
class Registers {
 public:
  Registers() = default;
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  ~Registers() { std::free(data_); }
  char* data() { return data_; }
  const char* data() const { return data_; }
  void grow(size_t bytes) {
    if (bytes <= size_) return;
    size_t rounded = (bytes + 63) & ~static_cast<size_t>(63);
    char* fresh = static_cast<char*>(std::aligned_alloc(64, rounded));
    if (!fresh) throw std::bad_alloc();
    if (size_) memcpy(fresh, data_, size_);
    memset(fresh + size_, 0, rounded - size_);
    std::free(data_);
    data_ = fresh;
    size_ = rounded;
  }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

// A register with undefined lanes: see undefined.h.
struct Undefined {
  s32 place;            // in the warp's registers
  u32 mask;             // of those lanes
  bool computed;        // not only copied
  s32 pc[kLanes];       // of the load
  u64 address[kLanes];  // in shared memory, of the first unwritten byte
};

enum class WarpState { kRunning, kAtBarrier, kDone };

struct Warp {
  int id = 0;
  WarpState state = WarpState::kRunning;
  u32 live = 0;  // lanes that have not exited
  u32 mask = 0;
  s32 pc = 0, reconverge = -1;
  s32 function = 0, frame = 0, local_base = 0;
  u32 barrier_vote = 0;
  Registers registers;
  std::vector<Path> paths;
  std::vector<CallRecord> calls;
  std::vector<Undefined> undefined;  // nearly always empty
};

// How the addresses of a warp's lanes lie to each other, and what that costs. Most instructions find the same
// pattern again and again, so each keeps the last one that it met.
struct AccessPattern {
  u32 mask;  // of active lanes; 0: no pattern yet
  s32 space;
  u32 phase;               // what else matters of the first active lane's address
  u32 difference[kLanes];  // from the first active lane's address
  s64 low, high;           // the smallest and the largest difference
  s32 cost;                // sectors (global) or wavefronts (shared)
  bool misaligned;         // some lane's address is no multiple of the access's size
  bool consecutive;        // all 32 lanes, one behind the other
  bool far;                // some difference does not fit 32 bits: `low` and `high` say nothing
};

struct Launch {
  LaunchRequest* request;
  s64 budget;
  s32 block[3];
  int threads;
  std::vector<u8> shared, shared_written, local;
  s64 unwritten = 0;                    // bytes of shared memory that nobody in the block wrote yet
  std::vector<s32> hints;               // per instruction: the allocation it touched last
  std::vector<AccessPattern> patterns;  // per instruction

  bool failed() const { return request->fault->kind != kNoFault; }
};

// Records the first fault of a launch; later ones are dropped.
void fail(Launch&, FaultKind, const Instruction&, const Warp&, int lane, u64 address = 0, int bytes = 0,
          s32 space = kGeneric);

void load_or_store(Launch&, Warp&, char* frame, u32 mask, const Instruction&, bool store);
void atomic(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void shuffle(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void vote(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void match(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void reduce(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void print(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
bool start_function(Launch&, Warp&, int function);
void run_warp(Launch&, Warp&);

inline int first_lane(u32 mask) { return __builtin_ctz(mask); }
