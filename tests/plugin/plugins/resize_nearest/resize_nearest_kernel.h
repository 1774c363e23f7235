#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

struct ResizeShape
{
    int64_t planes;
    int64_t inH, inW;
    int64_t outH, outW;
};

// out(p, i, j) = in(p, i * inH / outH, j * inW / outW), rounded down. T: any type of 1, 2 or 4 bytes.
cudaError_t resizeNearest(
    void const* in, void* out, int32_t elementBytes, ResizeShape const& shape, cudaStream_t stream) noexcept;
