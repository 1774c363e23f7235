#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

enum class ReluType
{
    kFloat,
    kHalf,
};

/// y[i] = x[i] < 0 ? 0 : x[i]. Asynchronous on `stream`; nothing happens for count == 0.
cudaError_t relu(void const* x, void* y, std::int64_t count, ReluType type, cudaStream_t stream) noexcept;
