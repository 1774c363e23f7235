#pragma once

#include <cuda_runtime_api.h>

// Counts in *count, which the caller has set to 0 on the same stream, and writes (row, column) pairs.
cudaError_t non_zero(const void* x, bool half, int* count, int* where, long long rows, long long columns,
                     cudaStream_t stream) noexcept;
