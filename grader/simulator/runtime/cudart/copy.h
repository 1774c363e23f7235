// Copies, for the functions that copy to plain pointers and for those that copy to symbols.
#pragma once

#include <cstdint>

#include "cudart.h"

namespace grader {

// A copy of `bytes`, in one of the directions of cudaMemcpyKind, on a stream. `mode`: ASYNC, or 0 for a call that
// waits. A direction that does not exist is cudaErrorInvalidMemcpyDirection; one that calls a host pointer a device's,
// cudaErrorInvalidValue. A device pointer that it calls the host's is taken for what it is, as an H200 does.
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, uint64_t mode);

// Whether the pointers fit `kind`; resolves cudaMemcpyDefault.
cudaError_t direct(const void* to, const void* from, cudaMemcpyKind& kind);

}  // namespace grader
