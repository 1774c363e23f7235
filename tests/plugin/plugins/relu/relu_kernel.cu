#include "relu_kernel.cuh"

#include <cuda_fp16.h>

namespace
{

__device__ float rectified(float x) { return x < 0.0f ? 0.0f : x; }
__device__ __half rectified(__half x) { return __half2float(x) < 0.0f ? __float2half(0.0f) : x; }

// One thread for each element; 2^31 - 1 blocks of 512 threads reach beyond any tensor that memory holds.
template <class T>
__global__ void __launch_bounds__(512) reluKernel(T const* __restrict__ x, T* __restrict__ y, std::int64_t count)
{
    std::int64_t const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count)
    {
        y[i] = rectified(x[i]);
    }
}

template <class T>
cudaError_t launchRelu(void const* x, void* y, std::int64_t count, cudaStream_t stream) noexcept
{
    constexpr std::int64_t threads = 512;
    std::int64_t const blocks = (count + threads - 1) / threads;
    if (blocks > 0x7FFFFFFF)
    {
        return cudaErrorInvalidConfiguration;
    }
    reluKernel<<<dim3(static_cast<unsigned>(blocks)), dim3(threads), 0, stream>>>(
        static_cast<T const*>(x), static_cast<T*>(y), count);
    return cudaGetLastError();
}

} // namespace

cudaError_t relu(void const* x, void* y, std::int64_t count, ReluType type, cudaStream_t stream) noexcept
{
    if (count == 0)
    {
        return cudaSuccess;
    }
    return type == ReluType::kFloat ? launchRelu<float>(x, y, count, stream) : launchRelu<__half>(x, y, count, stream);
}
