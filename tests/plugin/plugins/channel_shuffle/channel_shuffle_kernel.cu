#include "channel_shuffle_kernel.h"

namespace
{
// Where element (image, channel, pixel) is stored.
__device__ int64_t placeOf(int64_t image, int64_t channel, int64_t pixel, ImageBatch const& s, Layout layout)
{
    int64_t const groups = (s.c + layout.lanes - 1) / layout.lanes;
    if (layout.channelsLast)
    {
        return (image * s.pixels + pixel) * groups * layout.lanes + channel;
    }
    return ((image * groups + channel / layout.lanes) * s.pixels + pixel) * layout.lanes + channel % layout.lanes;
}

// One thread for each stored element, padding too.
template <typename T>
__global__ void shuffleKernel(T const* x, T* y, ImageBatch const s, Layout const layout, int32_t groups, int64_t stored)
{
    int64_t const channels = (s.c + layout.lanes - 1) / layout.lanes * layout.lanes;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < stored; i += int64_t{gridDim.x} * blockDim.x)
    {
        int64_t const channel = i % channels;
        int64_t const pixel = i / channels % s.pixels;
        int64_t const image = i / channels / s.pixels;
        T value{};
        if (channel < s.c)
        {
            int64_t const from = channel % groups * (s.c / groups) + channel / groups;
            value = x[placeOf(image, from, pixel, s, layout)];
        }
        y[placeOf(image, channel, pixel, s, layout)] = value;
    }
}

template <typename T>
cudaError_t launch(void const* x, void* y, ImageBatch const& s, Layout layout, int32_t groups, cudaStream_t stream)
{
    int64_t const stored = s.n * ((s.c + layout.lanes - 1) / layout.lanes * layout.lanes) * s.pixels;
    if (stored == 0)
    {
        return cudaSuccess;
    }
    int64_t const blocks = (stored + 255) / 256;
    shuffleKernel<T><<<static_cast<unsigned>(blocks < 65535 ? blocks : 65535), 256, 0, stream>>>(
        static_cast<T const*>(x), static_cast<T*>(y), s, layout, groups, stored);
    return cudaGetLastError();
}
} // namespace

cudaError_t channelShuffle(void const* x, void* y, int32_t elementBytes, ImageBatch const& s, Layout layout,
    int32_t groups, cudaStream_t stream) noexcept
{
    if (elementBytes == 1)
    {
        return launch<uint8_t>(x, y, s, layout, groups, stream);
    }
    if (elementBytes == 2)
    {
        return launch<uint16_t>(x, y, s, layout, groups, stream);
    }
    return launch<uint32_t>(x, y, s, layout, groups, stream);
}
