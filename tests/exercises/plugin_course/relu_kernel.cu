#include "relu_kernel.cuh"

#include <cuda_fp16.h>

extern "C" __global__ void reluF32(float const* x, float* y, long long n)
{
    long long const i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = x[i] < 0.0F ? 0.0F : x[i];
    }
}

extern "C" __global__ void reluF16(__half const* x, __half* y, long long n)
{
    long long const i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = __half2float(x[i]) < 0.0F ? __float2half(0.0F) : x[i];
    }
}

cudaError_t relu(void const* x, void* y, std::int64_t count, ReluType type, cudaStream_t stream) noexcept
{
    constexpr std::int64_t threads = 512;
    std::int64_t const blocks = (count + threads - 1) / threads;
    if (count == 0)
    {
        return cudaSuccess;
    }
    if (blocks > 0x7FFFFFFF)
    {
        return cudaErrorInvalidConfiguration;
    }
    dim3 const grid(static_cast<unsigned>(blocks));
    if (type == ReluType::kFloat)
    {
        reluF32<<<grid, threads, 0, stream>>>(static_cast<float const*>(x), static_cast<float*>(y), count);
    }
    else
    {
        reluF16<<<grid, threads, 0, stream>>>(static_cast<__half const*>(x), static_cast<__half*>(y), count);
    }
    return cudaGetLastError();
}
