#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

/// rows[t, :] = table[tokens[t], :]; zeros for a token outside of [0, vocabulary).
cudaError_t embedTokens(int32_t const* tokens, int64_t count, float const* table, int64_t vocabulary, int64_t width,
    float* rows, cudaStream_t stream) noexcept;
