#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// y[i] = scale * x[i] + shift for 0 <= i < n. Returns the status of the launch; n = 0 launches nothing.
cudaError_t scaleShiftFloat(float const* x, float* y, int64_t n, float scale, float shift, cudaStream_t stream);
cudaError_t scaleShiftHalf(void const* x, void* y, int64_t n, float scale, float shift, cudaStream_t stream);
