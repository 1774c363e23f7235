// Pointers of the device as the numbers of the protocol, and handles of streams and events.
#pragma once

#include <cstdint>

#include "cudart.h"
#include "protocol.h"

namespace grader {

inline uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
inline void* pointer_to(uint64_t address) { return reinterpret_cast<void*>(address); }
inline bool on_device(const void* pointer) { return address_of(pointer) - DEVICE_BASE < DEVICE_BYTES; }

inline uint64_t stream_of(cudaStream_t handle) { return reinterpret_cast<uint64_t>(handle); }

// For code compiled with --default-stream per-thread.
inline cudaStream_t own_stream(cudaStream_t handle) { return handle ? handle : cudaStreamPerThread; }

}  // namespace grader
