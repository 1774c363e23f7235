// Supplied: y[i] = weight[c] * x[i] + bias[c] for 0 <= i < n, where c = i / length % channels, on the given stream.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// The two numbers of a channel lie side by side, so that a thread reads both at once.
struct Pair
{
    float weight;
    float bias;
};

// pairs: on the device, one for each channel. Each returns the status of its launch. n = 0 launches nothing.
cudaError_t channelAffineFloat(void const* x, void* y, Pair const* pairs, int64_t n, int64_t channels, int64_t length,
    cudaStream_t stream);
cudaError_t channelAffineHalf(void const* x, void* y, Pair const* pairs, int64_t n, int64_t channels, int64_t length,
    cudaStream_t stream);
