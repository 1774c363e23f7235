#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

cudaError_t hardSwishFloat(float const* x, float* y, int64_t n, cudaStream_t stream);
cudaError_t hardSwishHalf(void const* x, void* y, int64_t n, cudaStream_t stream);
