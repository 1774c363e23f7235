#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

namespace kv
{
struct Extents
{
    int64_t batch, capacity, fresh, width;
};

/// Writes fresh rows into the cache, at position[b] on. Rows that would lie outside of [0, capacity) are dropped.
/// elementBytes: 2 or 4.
cudaError_t append(Extents const& e, int32_t elementBytes, void* cache, void const* fresh, int32_t const* position,
    cudaStream_t stream) noexcept;
} // namespace kv
