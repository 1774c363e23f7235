#pragma once

#include <cuda_runtime_api.h>

struct PoolShape
{
    long long planes; // N * C
    long long in_h, in_w;
    long long out_h, out_w;
};

// half_precision: x and y are FP16, else FP32. The sum is always float.
cudaError_t adaptive_avg_pool(
    const void* x, void* y, const PoolShape& shape, bool half_precision, cudaStream_t stream) noexcept;
