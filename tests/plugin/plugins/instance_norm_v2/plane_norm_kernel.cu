#include "plane_norm_kernel.h"

#include <cuda_fp16.h>

namespace
{
constexpr int32_t kBLOCK_SIZE = 128;

__device__ float blockSum(float value)
{
    __shared__ float sums[kBLOCK_SIZE];
    sums[threadIdx.x] = value;
    __syncthreads();
    for (int32_t stride = kBLOCK_SIZE / 2; stride > 0; stride >>= 1)
    {
        if (threadIdx.x < static_cast<uint32_t>(stride))
        {
            sums[threadIdx.x] += sums[threadIdx.x + stride];
        }
        __syncthreads();
    }
    float const sum = sums[0];
    __syncthreads();
    return sum;
}

// Two passes over a plane, since E[x^2] - E[x]^2 loses what matters where the mean is large.
template <typename T>
__global__ void statisticsKernel(
    T const* x, float* mean, PlaneStatistics* statistics, int64_t planes, int64_t size, float epsilon)
{
    for (int64_t plane = blockIdx.x; plane < planes; plane += gridDim.x)
    {
        T const* values = x + plane * size;
        float sum = 0.F;
        for (int64_t i = threadIdx.x; i < size; i += kBLOCK_SIZE)
        {
            sum += static_cast<float>(values[i]);
        }
        float const average = blockSum(sum) / static_cast<float>(size);
        float squares = 0.F;
        for (int64_t i = threadIdx.x; i < size; i += kBLOCK_SIZE)
        {
            float const d = static_cast<float>(values[i]) - average;
            squares += d * d;
        }
        float const variance = blockSum(squares) / static_cast<float>(size);
        if (threadIdx.x == 0)
        {
            mean[plane] = average;
            statistics[plane] = {average, 1.F / sqrtf(variance + epsilon)};
        }
    }
}

template <typename T>
__global__ void normalizeKernel(
    T const* x, T* y, PlaneStatistics const* statistics, int64_t total, int64_t size, bool relu)
{
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x)
    {
        PlaneStatistics const s = statistics[i / size];
        float const value = (static_cast<float>(x[i]) - s.mean) * s.scale;
        y[i] = static_cast<T>(relu ? fmaxf(value, 0.F) : value);
    }
}

template <typename T>
cudaError_t launch(cudaStream_t stream, T const* x, T* y, float* mean, PlaneStatistics* statistics, int64_t planes,
    int64_t size, float epsilon, bool relu)
{
    auto const gridSize = [](int64_t n) { return static_cast<uint32_t>(n < 65535 ? n : 65535); };
    statisticsKernel<T><<<gridSize(planes), kBLOCK_SIZE, 0, stream>>>(x, mean, statistics, planes, size, epsilon);
    cudaError_t const status = cudaGetLastError();
    if (status != cudaSuccess)
    {
        return status;
    }
    int64_t const total = planes * size;
    normalizeKernel<T><<<gridSize((total + kBLOCK_SIZE - 1) / kBLOCK_SIZE), kBLOCK_SIZE, 0, stream>>>(
        x, y, statistics, total, size, relu);
    return cudaGetLastError();
}
} // namespace

cudaError_t planeNorm(cudaStream_t stream, bool half, void const* x, void* y, float* mean, PlaneStatistics* statistics,
    int64_t planes, int64_t size, float epsilon, bool relu)
{
    if (planes == 0 || size == 0)
    {
        return planes == 0 ? cudaSuccess : cudaErrorInvalidValue; // the mean of nothing
    }
    if (half)
    {
        return launch(stream, static_cast<__half const*>(x), static_cast<__half*>(y), mean, statistics, planes, size,
            epsilon, relu);
    }
    return launch(
        stream, static_cast<float const*>(x), static_cast<float*>(y), mean, statistics, planes, size, epsilon, relu);
}
