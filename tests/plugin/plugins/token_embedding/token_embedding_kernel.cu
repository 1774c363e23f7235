#include "token_embedding_kernel.h"

static __global__ void embedTokensKernel(
    int32_t const* tokens, int64_t n, float const* table, int64_t vocabulary, int64_t width, float* rows)
{
    int64_t const step = int64_t{gridDim.x} * blockDim.x;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    {
        int64_t const token = tokens[i / width];
        rows[i] = token >= 0 && token < vocabulary ? table[token * width + i % width] : 0.0F;
    }
}

cudaError_t embedTokens(int32_t const* tokens, int64_t count, float const* table, int64_t vocabulary, int64_t width,
    float* rows, cudaStream_t stream) noexcept
{
    int64_t const n = count * width;
    if (n == 0)
    {
        return cudaSuccess;
    }
    int64_t const blocks = (n + 127) / 128;
    embedTokensKernel<<<static_cast<unsigned>(blocks < 16384 ? blocks : 16384), 128, 0, stream>>>(
        tokens, n, table, vocabulary, width, rows);
    return cudaGetLastError();
}
