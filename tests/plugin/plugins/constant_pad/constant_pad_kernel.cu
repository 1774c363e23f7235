#include "constant_pad_kernel.h"

namespace
{
__global__ void padKernel(float const* x, float* y, PadShape const s, int64_t total, float factor, float fill)
{
    int64_t const stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t o = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; o < total; o += stride)
    {
        int64_t const j = o % s.outW - s.left;
        int64_t const i = o / s.outW % s.outH - s.top;
        int64_t const n = o / s.outW / s.outH;
        bool const inside = i >= 0 && i < s.inH && j >= 0 && j < s.inW;
        y[o] = inside ? factor * x[(n * s.inH + i) * s.inW + j] : fill;
    }
}
} // namespace

cudaError_t constantPad(
    float const* x, float* y, PadShape const& s, float factor, float fill, cudaStream_t stream) noexcept
{
    int64_t const total = s.n * s.outH * s.outW;
    if (total == 0)
    {
        return cudaSuccess;
    }
    auto const blocks = static_cast<unsigned>(total < 255 * 1024 ? (total + 255) / 256 : 1024);
    padKernel<<<blocks, 256, 0, stream>>>(x, y, s, total, factor, fill);
    return cudaGetLastError();
}
