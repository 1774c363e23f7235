// Where the two compilers meet. Given. Plain C++: nvcc reads it in relu_kernel.cu, g++ in relu_plugin.cpp.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// y[i] = 0 where x[i] < 0, else x[i], for 0 <= i < n; x and y on the device. It puts the work on the stream, waits for
// nothing, and returns the status of the launch.
cudaError_t launchRelu(float const* x, float* y, int64_t n, cudaStream_t stream) noexcept;
