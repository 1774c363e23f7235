// Where kernel and plugin of CappedRelu meet.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// y[i] = 0 where x[i] < 0, cap where x[i] > cap, else x[i], for 0 <= i < n.
cudaError_t launchCappedRelu(float const* x, float* y, int64_t n, float cap, cudaStream_t stream) noexcept;
