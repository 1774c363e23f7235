// Copies, for the functions that copy to plain pointers and for those that copy to symbols.
#pragma once

#include <cstdint>

#include "cudart.h"

namespace grader {

// A copy of `bytes`, in one of the directions of cudaMemcpyKind, on a stream. `mode`: ASYNC, or 0 for a call that
// waits. A direction that does not fit the pointers is cudaErrorInvalidValue, one that does not exist
// cudaErrorInvalidMemcpyDirection.
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, uint64_t mode);

// Whether the pointers fit `kind`; resolves cudaMemcpyDefault.
cudaError_t direct(const void* to, const void* from, cudaMemcpyKind& kind);

}  // namespace grader
