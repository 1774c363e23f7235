#include "hard_swish_kernel.h"

#include <cuda_fp16.h>

static __device__ float hardSwish(float x)
{
    return x * fminf(fmaxf(x + 3.0F, 0.0F), 6.0F) * (1.0F / 6.0F);
}

static __global__ void hardSwishFloatKernel(float const* x, float* y, int64_t n)
{
    int64_t const i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = hardSwish(x[i]);
    }
}

// Two elements a thread, and the odd one at the end.
static __global__ void hardSwishHalfKernel(__half2 const* x, __half2* y, int64_t n)
{
    int64_t const i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (2 * i + 1 < n)
    {
        float2 const v = __half22float2(x[i]);
        y[i] = __floats2half2_rn(hardSwish(v.x), hardSwish(v.y));
    }
    else if (2 * i < n)
    {
        auto const* last = reinterpret_cast<__half const*>(x) + 2 * i;
        reinterpret_cast<__half*>(y)[2 * i] = __float2half(hardSwish(__half2float(*last)));
    }
}

cudaError_t hardSwishFloat(float const* x, float* y, int64_t n, cudaStream_t stream)
{
    int64_t const blocks = (n + 255) / 256;
    if (blocks > INT32_MAX)
    {
        return cudaErrorInvalidValue;
    }
    if (blocks > 0)
    {
        hardSwishFloatKernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(x, y, n);
    }
    return cudaGetLastError();
}

cudaError_t hardSwishHalf(void const* x, void* y, int64_t n, cudaStream_t stream)
{
    int64_t const blocks = (n + 511) / 512;
    if (blocks > INT32_MAX)
    {
        return cudaErrorInvalidValue;
    }
    if (blocks > 0)
    {
        hardSwishHalfKernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(
            static_cast<__half2 const*>(x), static_cast<__half2*>(y), n);
    }
    return cudaGetLastError();
}
