// Supplied: y = x where x >= 0, slope * x elsewhere, on the given stream.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

// A tensor of n elements that lies linear. An element belongs to the channel `its place / inner % channels`, as in
// (N, C, H, W), where inner is H * W.
struct PReluExtents
{
    int64_t n;
    int64_t channels;
    int64_t inner;
};

// slopes: on the device, one for each channel, or one for all (slopeCount is 1). T is float, __half or __nv_bfloat16.
// Returns the status of the launch; n = 0 launches nothing.
template <typename T>
cudaError_t prelu(
    T const* x, T* y, PReluExtents extents, float const* slopes, int64_t slopeCount, cudaStream_t stream);
