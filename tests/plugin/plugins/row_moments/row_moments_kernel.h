#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// out[row] = mean over the row of x, or of x * x where `squared` says so. x: FP16 where `half` says so, else FP32.
cudaError_t rowMean(void const* x, bool half, float* out, int64_t rows, int64_t length, bool squared,
    cudaStream_t stream) noexcept;
