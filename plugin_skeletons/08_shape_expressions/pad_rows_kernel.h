// The kernel of PadRows: y[n, j] = x[n, j] for j < length, 0 up to `padded`.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

cudaError_t padRows(
    float const* x, float* y, int64_t rows, int64_t length, int64_t padded, cudaStream_t stream) noexcept;
