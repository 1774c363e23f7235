#include "channel_bias_kernel.h"

#include <cuda_fp16.h>

namespace
{
__device__ void addTo(float* y, float x, float bias) { *y = x + bias; }
__device__ void addTo(__half* y, __half x, float bias) { *y = __float2half(__half2float(x) + bias); }

template <typename T>
__global__ void channelBiasKernel(T const* x, float const* bias, T* y, int64_t n, int64_t channels, int64_t inner)
{
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += int64_t{gridDim.x} * blockDim.x)
    {
        addTo(y + i, x[i], bias[i / inner % channels]);
    }
}

template <typename T>
cudaError_t launch(void const* x, float const* bias, void* y, int64_t n, int64_t channels, int64_t inner,
    cudaStream_t stream) noexcept
{
    int64_t const blocks = (n + 255) / 256;
    channelBiasKernel<T><<<static_cast<unsigned>(blocks < 65535 ? blocks : 65535), 256, 0, stream>>>(
        static_cast<T const*>(x), bias, static_cast<T*>(y), n, channels, inner);
    return cudaGetLastError();
}
} // namespace

cudaError_t channelBias(void const* x, float const* bias, void* y, int64_t outer, int64_t channels, int64_t inner,
    bool half, cudaStream_t stream) noexcept
{
    int64_t const n = outer * channels * inner;
    if (n == 0)
    {
        return cudaSuccess;
    }
    return half ? launch<__half>(x, bias, y, n, channels, inner, stream)
                : launch<float>(x, bias, y, n, channels, inner, stream);
}
