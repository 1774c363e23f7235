// The kernel of LeakyRelu and the function that launches it.
#include "leaky_relu_kernel.h"

#include <algorithm>

constexpr int kBLOCK = 256;
constexpr int64_t kMOST_BLOCKS = 65535;

extern "C" __global__ void leaky_relu_f32(float const* x, float* y, int64_t n, float alpha)
{
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        float const value = x[i];
        y[i] = value < 0.0F ? alpha * value : value;
    }
}

cudaError_t launchLeakyRelu(float const* x, float* y, int64_t n, float alpha, cudaStream_t stream) noexcept
{
    if (n == 0)
    {
        return cudaSuccess;
    }
    int64_t const blocks = std::min((n + kBLOCK - 1) / kBLOCK, kMOST_BLOCKS);
    leaky_relu_f32<<<static_cast<unsigned>(blocks), kBLOCK, 0, stream>>>(x, y, n, alpha);
    return cudaGetLastError();
}
