// The kernel of the worked example, for two types.
#include "swish_kernel.h"

#include <algorithm>
#include <cuda_fp16.h>

namespace
{
__device__ float toFloat(float value) { return value; }
__device__ float toFloat(__half value) { return __half2float(value); }
__device__ void store(float* at, float value) { *at = value; }
__device__ void store(__half* at, float value) { *at = __float2half(value); }

template <typename T>
__global__ void swishKernel(T const* x, T* y, int64_t n)
{
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        float const value = toFloat(x[i]);
        store(y + i, value / (1.0F + expf(-value)));
    }
}

template <typename T>
cudaError_t launch(void const* x, void* y, int64_t n, cudaStream_t stream)
{
    if (n == 0)
    {
        return cudaSuccess;
    }
    auto const blocks = static_cast<unsigned>(std::min<int64_t>((n + 255) / 256, 65535));
    swishKernel<T><<<blocks, 256, 0, stream>>>(static_cast<T const*>(x), static_cast<T*>(y), n);
    return cudaGetLastError();
}
} // namespace

cudaError_t swishFloat(void const* x, void* y, int64_t n, cudaStream_t stream)
{
    return launch<float>(x, y, n, stream);
}

cudaError_t swishHalf(void const* x, void* y, int64_t n, cudaStream_t stream)
{
    return launch<__half>(x, y, n, stream);
}
