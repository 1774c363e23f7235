#include "keep_positive_kernel.h"

#include <cuda_fp16.h>

namespace
{
template <typename T>
__global__ void keep(T const* x, int64_t n, T* y, int32_t* count)
{
    int64_t const step = int64_t{gridDim.x} * blockDim.x;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    {
        if (static_cast<float>(x[i]) > 0.0F)
        {
            y[atomicAdd(count, 1)] = x[i];
        }
    }
}
} // namespace

cudaError_t keepPositive(void const* x, bool half, int64_t n, void* y, int32_t* count, cudaStream_t stream) noexcept
{
    int64_t const blocks = (n + 255) / 256;
    unsigned const grid = static_cast<unsigned>(blocks < 2048 ? blocks : 2048);
    if (half)
    {
        keep<<<grid, 256, 0, stream>>>(static_cast<__half const*>(x), n, static_cast<__half*>(y), count);
    }
    else
    {
        keep<<<grid, 256, 0, stream>>>(static_cast<float const*>(x), n, static_cast<float*>(y), count);
    }
    return cudaGetLastError();
}
