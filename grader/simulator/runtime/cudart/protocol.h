// What the stand-in CUDA runtime asks of the device process: `protocol.py` in C++. A test compares the two.
#pragma once

#include <cstdint>

namespace grader {

constexpr uint64_t VERSION = 1;

struct Request {
  uint16_t call;
  uint16_t function;  // its place in functions.inc, 0: none
  uint32_t thread;
  uint64_t payload;  // bytes that follow
  uint64_t arguments[8];
};

struct ReplyHeader {
  int32_t status;  // cudaError_t
  uint32_t flags;
  uint64_t payload;  // bytes that follow
  uint64_t values[4];
};

struct Delivery {
  uint64_t address;  // of the host
  uint64_t bytes;    // that follow
};

static_assert(sizeof(Request) == 80 && sizeof(ReplyHeader) == 48 && sizeof(Delivery) == 16);

constexpr uint64_t DEVICE_BASE = 0x7000'0000'0000;
constexpr uint64_t DEVICE_BYTES = uint64_t{8} << 40;

constexpr uint64_t PER_THREAD_STREAM = 2;

enum Reply : uint32_t { DELIVERIES = 1, HOST_FUNCTION = 2 };

enum Mode : uint64_t { ASYNC = 1, PINNED = 2 };

enum Direction : uint64_t { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 3 };

enum Note : uint64_t { ANSWERED = 0, NOT_SIMULATED = 1, MAY_BE_CALLED = 2 };

// Arguments and values: protocol.py.
enum class Call : uint16_t {
  HELLO = 1,

  MALLOC = 10,
  FREE = 11,
  MALLOC_ASYNC = 12,
  FREE_ASYNC = 13,
  MEMORY_INFO = 14,
  POINTER = 15,
  COPY = 16,
  COPY_2D = 17,
  SET = 18,
  SET_2D = 19,

  MODULE = 30,
  MODULE_FREE = 31,
  KERNEL = 32,
  VARIABLE = 33,
  LAUNCH = 34,

  STREAM_CREATE = 50,
  STREAM_DESTROY = 51,
  STREAM_SYNCHRONIZE = 52,
  STREAM_QUERY = 53,
  STREAM_WAIT_EVENT = 54,
  STREAM_FLAGS = 55,
  DEVICE_SYNCHRONIZE = 56,
  HOST_FUNCTION = 57,
  HOST_FUNCTION_DONE = 58,
  DEVICE_RESET = 59,

  EVENT_CREATE = 70,
  EVENT_DESTROY = 71,
  EVENT_RECORD = 72,
  EVENT_SYNCHRONIZE = 73,
  EVENT_QUERY = 74,
  EVENT_ELAPSED = 75,

  CAPTURE_BEGIN = 90,
  CAPTURE_END = 91,
  CAPTURE_INFO = 92,
  CAPTURE_MODE = 93,
  GRAPH_INSTANTIATE = 94,
  GRAPH_LAUNCH = 95,
  GRAPH_DESTROY = 96,
  GRAPH_EXEC_DESTROY = 97,
  GRAPH_NODES = 98,

  NOTE = 110,
};

}  // namespace grader
