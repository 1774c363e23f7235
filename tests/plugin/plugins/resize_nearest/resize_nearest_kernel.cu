#include "resize_nearest_kernel.h"

namespace
{
// Block (x, y): columns and rows of one plane after the other.
template <typename T>
__global__ void resizeNearestKernel(T const* __restrict__ in, T* __restrict__ out, ResizeShape const s)
{
    int64_t const j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (j >= s.outW)
    {
        return;
    }
    int64_t const sourceJ = j * s.inW / s.outW;
    for (int64_t row = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y; row < s.planes * s.outH;
         row += static_cast<int64_t>(gridDim.y) * blockDim.y)
    {
        int64_t const plane = row / s.outH;
        int64_t const sourceI = row % s.outH * s.inH / s.outH;
        out[row * s.outW + j] = in[(plane * s.inH + sourceI) * s.inW + sourceJ];
    }
}

template <typename T>
cudaError_t launch(void const* in, void* out, ResizeShape const& s, cudaStream_t stream) noexcept
{
    dim3 const block(32, 4);
    int64_t const columns = (s.outW + block.x - 1) / block.x;
    int64_t const rows = (s.planes * s.outH + block.y - 1) / block.y;
    if (columns > INT32_MAX)
    {
        return cudaErrorInvalidValue;
    }
    dim3 const grid(static_cast<unsigned>(columns), static_cast<unsigned>(rows < 65535 ? rows : 65535));
    resizeNearestKernel<T><<<grid, block, 0, stream>>>(static_cast<T const*>(in), static_cast<T*>(out), s);
    return cudaGetLastError();
}
} // namespace

cudaError_t resizeNearest(
    void const* in, void* out, int32_t elementBytes, ResizeShape const& s, cudaStream_t stream) noexcept
{
    if (s.planes == 0 || s.outH == 0 || s.outW == 0)
    {
        return cudaSuccess;
    }
    if (s.inH == 0 || s.inW == 0)
    {
        return cudaErrorInvalidValue; // there is no nearest element
    }
    switch (elementBytes)
    {
    case 1: return launch<uint8_t>(in, out, s, stream);
    case 2: return launch<uint16_t>(in, out, s, stream);
    case 4: return launch<uint32_t>(in, out, s, stream);
    default: return cudaErrorInvalidValue;
    }
}
