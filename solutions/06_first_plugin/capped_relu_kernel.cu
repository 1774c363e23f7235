// CappedRelu: the kernel, and the function that launches it.
#include "capped_relu_kernel.h"

#include <algorithm>

constexpr int kBLOCK = 256;
constexpr int64_t kMOST_BLOCKS = 65535;

extern "C" __global__ void capped_relu_f32(float const* x, float* y, int64_t n, float cap)
{
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        float const value = x[i];
        y[i] = value < 0.0F ? 0.0F : value > cap ? cap : value;
    }
}

cudaError_t launchCappedRelu(float const* x, float* y, int64_t n, float cap, cudaStream_t stream) noexcept
{
    if (n == 0)
    {
        return cudaSuccess;
    }
    int64_t const blocks = std::min((n + kBLOCK - 1) / kBLOCK, kMOST_BLOCKS);
    capped_relu_f32<<<static_cast<unsigned>(blocks), kBLOCK, 0, stream>>>(x, y, n, cap);
    return cudaGetLastError();
}
