// What starts the kernels of this chapter. Supplied: read it, leave it as it is. The grader's own version starts nothing
// and notes what it was asked for.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

// Version 0, 1 or 2 of a kernel that scales x. Returns 0 for success.
int32_t launchScale(int32_t version, float const* x, float* y, cudaStream_t stream);

// A kernel that works row by row. Returns 0 for success.
int32_t launchRows(int64_t rows, int64_t columns, float const* x, float* y, cudaStream_t stream);
