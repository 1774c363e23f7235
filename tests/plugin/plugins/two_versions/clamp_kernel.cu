#include "clamp_kernel.h"

#include <cuda_bf16.h>

template <typename T>
__global__ void clampKernel(T const* x, T* y, int64_t n, Limits const limits)
{
    T const low = limits.lowAt != nullptr ? *static_cast<T const*>(limits.lowAt) : static_cast<T>(limits.low);
    T const high = limits.highAt != nullptr ? *static_cast<T const*>(limits.highAt) : static_cast<T>(limits.high);
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += int64_t{gridDim.x} * blockDim.x)
    {
        T v = x[i];
        v = v < low ? low : v;
        y[i] = v > high ? high : v;
    }
}

template <typename T>
static cudaError_t launch(void const* x, void* y, int64_t n, Limits const& limits, cudaStream_t stream) noexcept
{
    if (n == 0)
    {
        return cudaSuccess;
    }
    int64_t const blocks = (n + 191) / 192;
    clampKernel<<<static_cast<unsigned>(blocks < 10000 ? blocks : 10000), 192, 0, stream>>>(
        static_cast<T const*>(x), static_cast<T*>(y), n, limits);
    return cudaGetLastError();
}

cudaError_t clampElements(nvinfer1::DataType type, void const* x, void* y, int64_t n, Limits const& limits,
    cudaStream_t stream) noexcept
{
    switch (type)
    {
    case nvinfer1::DataType::kFLOAT: return launch<float>(x, y, n, limits, stream);
    case nvinfer1::DataType::kBF16: return launch<__nv_bfloat16>(x, y, n, limits, stream);
    case nvinfer1::DataType::kINT32: return launch<int32_t>(x, y, n, limits, stream);
    default: return cudaErrorInvalidValue;
    }
}
