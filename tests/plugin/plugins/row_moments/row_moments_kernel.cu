#include "row_moments_kernel.h"

#include <cuda_fp16.h>

namespace
{
constexpr int kTHREADS = 64;

template <typename T>
__global__ void rowMeanKernel(T const* x, float* out, int64_t rows, int64_t length, bool squared)
{
    __shared__ float partial[kTHREADS];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    {
        float sum = 0.0F;
        for (int64_t i = threadIdx.x; i < length; i += kTHREADS)
        {
            float const v = static_cast<float>(x[row * length + i]);
            sum += squared ? v * v : v;
        }
        partial[threadIdx.x] = sum;
        __syncthreads();
        for (int half = kTHREADS / 2; half > 0; half /= 2)
        {
            if (static_cast<int>(threadIdx.x) < half)
            {
                partial[threadIdx.x] += partial[threadIdx.x + half];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0)
        {
            out[row] = partial[0] / static_cast<float>(length);
        }
        __syncthreads();
    }
}
} // namespace

cudaError_t rowMean(void const* x, bool half, float* out, int64_t rows, int64_t length, bool squared,
    cudaStream_t stream) noexcept
{
    if (rows == 0)
    {
        return cudaSuccess;
    }
    auto const blocks = static_cast<unsigned>(rows < 65535 ? rows : 65535);
    if (half)
    {
        rowMeanKernel<<<blocks, kTHREADS, 0, stream>>>(static_cast<__half const*>(x), out, rows, length, squared);
    }
    else
    {
        rowMeanKernel<<<blocks, kTHREADS, 0, stream>>>(static_cast<float const*>(x), out, rows, length, squared);
    }
    return cudaGetLastError();
}
