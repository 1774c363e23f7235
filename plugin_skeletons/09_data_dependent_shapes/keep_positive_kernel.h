#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

/// Copies the elements of x that are above 0 to the front of y, in no particular order, and adds their number to *count.
/// `half`: x and y are FP16. n is above 0.
cudaError_t keepPositive(
    void const* x, bool half, int64_t n, void* y, int32_t* count, cudaStream_t stream) noexcept;
