#include "scale_shift_kernel.h"

#include <algorithm>
#include <cuda_fp16.h>

namespace
{
constexpr int kBLOCK = 256;
constexpr int64_t kMAX_BLOCKS = 65535;

__device__ float load(float const* p) { return *p; }
__device__ float load(__half const* p) { return __half2float(*p); }
__device__ void store(float* p, float v) { *p = v; }
__device__ void store(__half* p, float v) { *p = __float2half(v); }

template <typename T>
__global__ void scaleShiftKernel(T const* x, T* y, int64_t n, float scale, float shift)
{
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        store(y + i, fmaf(scale, load(x + i), shift));
    }
}

template <typename T>
cudaError_t launch(T const* x, T* y, int64_t n, float scale, float shift, cudaStream_t stream)
{
    if (n == 0)
    {
        return cudaSuccess;
    }
    int64_t const blocks = std::min((n + kBLOCK - 1) / kBLOCK, kMAX_BLOCKS);
    scaleShiftKernel<T><<<static_cast<unsigned>(blocks), kBLOCK, 0, stream>>>(x, y, n, scale, shift);
    return cudaGetLastError();
}
} // namespace

cudaError_t scaleShiftFloat(float const* x, float* y, int64_t n, float scale, float shift, cudaStream_t stream)
{
    return launch(x, y, n, scale, shift, stream);
}

cudaError_t scaleShiftHalf(void const* x, void* y, int64_t n, float scale, float shift, cudaStream_t stream)
{
    return launch(static_cast<__half const*>(x), static_cast<__half*>(y), n, scale, shift, stream);
}
