#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

constexpr int32_t kMaxBuckets = 128;

// Which bucket a distance n = |k - q| falls into: the last i of [0, count) with start[i] <= n. It travels as a kernel
// argument, so that no device memory has to be owned.
struct Buckets
{
    int32_t start[kMaxBuckets];
    int32_t count;         // of one direction
    bool bidirectional;
};

// count >= 2 buckets in one direction, half of them a distance each, half growing to max_distance (T5).
Buckets makeBuckets(int32_t total, int32_t maxDistance, bool bidirectional) noexcept;

struct BiasShape
{
    int64_t batch, heads, queries, keys;
};

cudaError_t addBiasFloat(float const* scores, float const* table, float* out, BiasShape const& shape,
    Buckets const& buckets, cudaStream_t stream) noexcept;
cudaError_t addBiasHalf(void const* scores, void const* table, void* out, BiasShape const& shape,
    Buckets const& buckets, cudaStream_t stream) noexcept;
