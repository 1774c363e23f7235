#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

/// How channels lie in memory. lanes: channels side by side; channelsLast: all channels of a pixel side by side, padded
/// to a multiple of lanes (HWC8), else only lanes of them (CHW2, CHW4, CHW32; 1: linear).
struct Layout
{
    int32_t lanes;
    bool channelsLast;
};

struct ImageBatch
{
    int64_t n, c, pixels;
};

/// elementBytes: 1, 2 or 4. Lanes beyond the last channel are written with zeros.
cudaError_t channelShuffle(void const* x, void* y, int32_t elementBytes, ImageBatch const& shape, Layout layout,
    int32_t groups, cudaStream_t stream) noexcept;
