// Swish of n elements that lie one behind the other, on the given stream. n = 0 launches nothing.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

cudaError_t swishFloat(void const* x, void* y, int64_t n, cudaStream_t stream);
cudaError_t swishHalf(void const* x, void* y, int64_t n, cudaStream_t stream);
