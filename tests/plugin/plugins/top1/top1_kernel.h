#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

// Rows of `length` >= 1 elements. For every row its largest element and the first index that holds it.
cudaError_t top1(float const* x, float* value, int32_t* index, int64_t rows, int64_t length, cudaStream_t stream);
cudaError_t top1Half(void const* x, void* value, int32_t* index, int64_t rows, int64_t length, cudaStream_t stream);
