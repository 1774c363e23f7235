#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace softmax
{
struct Problem
{
    void const* x;
    void* y;
    int64_t rows;
    int64_t length;
    float scale; // of x, before the exponential
    bool half;
};

/// One block for each row; needs no workspace.
cudaError_t byRow(Problem const& problem, cudaStream_t stream) noexcept;

/// Every row in chunks, each chunk by a block of its own: for few long rows. The chunks' results meet in the workspace.
cudaError_t byChunk(Problem const& problem, void* workspace, cudaStream_t stream) noexcept;
size_t chunkWorkspace(int64_t rows, int64_t length) noexcept;
} // namespace softmax
