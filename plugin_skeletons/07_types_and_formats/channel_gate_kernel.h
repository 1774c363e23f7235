// Supplied: y = gate * x, where each channel of each image has a gate of its own. There is no defect here.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

// How x and y lie in memory. Linear: (images, channels, pixels). Channels last, as in kHWC8: (images, pixels, stored),
// where `stored` is `channels` rounded up; what is behind the last channel is padding.
struct GateLayout
{
    int64_t images;
    int64_t channels;
    int64_t stored;
    int64_t pixels;
    bool channelsLast;
};

// gate: on the device, images * channels floats. T is float, __half or __nv_bfloat16.
// Returns the status of the launch; a tensor without elements launches nothing.
template <typename T>
cudaError_t channelGate(T const* x, float const* gate, T* y, GateLayout layout, cudaStream_t stream);
