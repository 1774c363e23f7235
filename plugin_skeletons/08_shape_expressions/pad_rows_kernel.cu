#include "pad_rows_kernel.h"

#include <algorithm>

namespace
{
constexpr int kBLOCK = 128;
constexpr int64_t kMAX_BLOCKS = 65535;

__global__ void pad(float const* x, float* y, int64_t rows, int64_t length, int64_t padded)
{
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * padded; i += step)
    {
        int64_t const j = i % padded;
        y[i] = j < length ? x[i / padded * length + j] : 0.0F;
    }
}
} // namespace

cudaError_t padRows(
    float const* x, float* y, int64_t rows, int64_t length, int64_t padded, cudaStream_t stream) noexcept
{
    auto const blocks = static_cast<unsigned>(std::min((rows * padded + kBLOCK - 1) / kBLOCK, kMAX_BLOCKS));
    pad<<<blocks, kBLOCK, 0, stream>>>(x, y, rows, length, padded);
    return cudaGetLastError();
}
