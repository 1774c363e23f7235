// The kernel of PReLU, for three types: read an element, compute in FP32, round once, write.
#include "prelu_kernel.h"

#include <algorithm>

namespace
{
constexpr int kBLOCK = 256;
constexpr int64_t kMAX_BLOCKS = 65535;

__device__ float toFloat(float value) { return value; }
__device__ float toFloat(__half value) { return __half2float(value); }
__device__ float toFloat(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ void store(float* at, float value) { *at = value; }
__device__ void store(__half* at, float value) { *at = __float2half(value); }
__device__ void store(__nv_bfloat16* at, float value) { *at = __float2bfloat16(value); }

template <typename T>
__global__ void preluKernel(T const* x, T* y, PReluExtents extents, float const* slopes, int64_t slopeCount)
{
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < extents.n; i += step)
    {
        int64_t const channel = slopeCount == 1 ? 0 : i / extents.inner % extents.channels;
        float const value = toFloat(x[i]);
        store(y + i, value < 0.0F ? slopes[channel] * value : value);
    }
}
} // namespace

// Given: the launch.
template <typename T>
cudaError_t prelu(
    T const* x, T* y, PReluExtents extents, float const* slopes, int64_t slopeCount, cudaStream_t stream)
{
    if (extents.n == 0)
    {
        return cudaSuccess;
    }
    auto const blocks = static_cast<unsigned>(std::min((extents.n + kBLOCK - 1) / kBLOCK, kMAX_BLOCKS));
    preluKernel<T><<<blocks, kBLOCK, 0, stream>>>(x, y, extents, slopes, slopeCount);
    return cudaGetLastError();
}

// The three that the plugin may call. A template's body is compiled where it is named with a type.
template cudaError_t prelu(float const*, float*, PReluExtents, float const*, int64_t, cudaStream_t);
template cudaError_t prelu(__half const*, __half*, PReluExtents, float const*, int64_t, cudaStream_t);
template cudaError_t prelu(
    __nv_bfloat16 const*, __nv_bfloat16*, PReluExtents, float const*, int64_t, cudaStream_t);
