// Supplied: the kernels of RelativePositionBias and what launches them. There is nothing to change here.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

constexpr int32_t kMAX_BUCKETS = 128; // in one direction

// The attributes, with their defaults.
struct BiasParameters
{
    int32_t bidirectional{1}; // 0: keys behind the query are told apart, all before it are at distance 0
    int32_t maxDistance{128}; // from here on all distances share the last bucket
    int32_t padTo{1};         // a row of the output is as long as the next multiple of this
};

// The extents of one run: row is the length of a row of the output, past + queries or more.
struct BiasShape
{
    int64_t heads, queries, past, row;
};

// Whether a table with this many rows can be used.
bool bucketsFit(int64_t buckets, BiasParameters const& parameters) noexcept;

// out[h, q, j] = table[bucket(j - (past + q)), h] for j < past + queries, -infinity for the rest of a row.
//
// All that lies on one diagonal, j - q, is the same number. So a first kernel writes each diagonal once, and a second one
// spreads them. `diagonals` is workspace for heads * (past + 2 * queries - 1) floats. Both kernels are launched, whatever
// the extents are: where out has no elements, the grid of the second would be empty, and CUDA refuses that.
cudaError_t biasFloat(void const* table, int64_t buckets, float* diagonals, void* out, BiasShape const& shape,
    BiasParameters const& parameters, cudaStream_t stream) noexcept;
cudaError_t biasHalf(void const* table, int64_t buckets, float* diagonals, void* out, BiasShape const& shape,
    BiasParameters const& parameters, cudaStream_t stream) noexcept;
