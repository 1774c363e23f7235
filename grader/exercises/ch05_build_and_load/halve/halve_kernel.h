#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// y[i] = x[i] / 2 for 0 <= i < n. Returns the status of the launch; n = 0 launches nothing.
cudaError_t launchHalve(float const* x, float* y, int64_t n, cudaStream_t stream);
