// Supplied: y[i] = scale * x[i] + shift for 0 <= i < n, on the given stream.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// Each returns the status of its launch. n = 0 launches nothing.
cudaError_t scaleShiftFloat(void const* x, void* y, int64_t n, float scale, float shift, cudaStream_t stream);
cudaError_t scaleShiftHalf(void const* x, void* y, int64_t n, float scale, float shift, cudaStream_t stream);
