#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// x, y: (outer, channels, inner), FP16 where `half` says so, else FP32. bias: `channels` floats on the device.
cudaError_t channelBias(void const* x, float const* bias, void* y, int64_t outer, int64_t channels, int64_t inner,
    bool half, cudaStream_t stream) noexcept;
