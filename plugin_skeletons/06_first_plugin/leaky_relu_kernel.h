// Where the two compilers meet, with one number more. Given.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// y[i] = alpha * x[i] where x[i] < 0, else x[i], for 0 <= i < n; all else as launchRelu().
cudaError_t launchLeakyRelu(float const* x, float* y, int64_t n, float alpha, cudaStream_t stream) noexcept;
