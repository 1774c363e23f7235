#include "top1_kernel.h"

#include <cuda_fp16.h>

namespace
{
constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;

struct Best
{
    float value;
    int32_t index;
};

__device__ Best better(Best a, Best b)
{
    bool const first = a.value > b.value || (a.value == b.value && a.index < b.index);
    return first ? a : b;
}

__device__ Best bestOfWarp(Best best)
{
    for (int offset = 16; offset > 0; offset /= 2)
    {
        Best const other{__shfl_xor_sync(~0U, best.value, offset), __shfl_xor_sync(~0U, best.index, offset)};
        best = better(best, other);
    }
    return best;
}

template <typename T>
__global__ void __launch_bounds__(kThreads) top1Rows(T const* x, T* value, int32_t* index, int64_t rows, int64_t length)
{
    __shared__ Best ofWarp[kWarps];
    int const lane = threadIdx.x % 32;
    int const warp = threadIdx.x / 32;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    {
        Best best{-INFINITY, INT32_MAX};
        for (int64_t i = threadIdx.x; i < length; i += kThreads)
        {
            best = better(best, {static_cast<float>(x[row * length + i]), static_cast<int32_t>(i)});
        }
        best = bestOfWarp(best);
        if (lane == 0)
        {
            ofWarp[warp] = best;
        }
        __syncthreads();
        if (threadIdx.x == 0)
        {
            for (int w = 1; w < kWarps; ++w)
            {
                best = better(best, ofWarp[w]);
            }
            value[row] = static_cast<T>(best.value);
            index[row] = best.index;
        }
        __syncthreads();
    }
}

template <typename T>
cudaError_t launch(T const* x, T* value, int32_t* index, int64_t rows, int64_t length, cudaStream_t stream)
{
    if (rows == 0)
    {
        return cudaSuccess;
    }
    if (length < 1 || length > INT32_MAX)
    {
        return cudaErrorInvalidValue;
    }
    auto const blocks = static_cast<unsigned>(rows < 65535 ? rows : 65535);
    top1Rows<T><<<blocks, kThreads, 0, stream>>>(x, value, index, rows, length);
    return cudaGetLastError();
}
} // namespace

cudaError_t top1(float const* x, float* value, int32_t* index, int64_t rows, int64_t length, cudaStream_t stream)
{
    return launch(x, value, index, rows, length, stream);
}

cudaError_t top1Half(void const* x, void* value, int32_t* index, int64_t rows, int64_t length, cudaStream_t stream)
{
    return launch(static_cast<__half const*>(x), static_cast<__half*>(value), index, rows, length, stream);
}
