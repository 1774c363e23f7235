#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace cumsum
{
enum class Element
{
    kInt32,
    kInt64,
    kFloat,
};

/// How the kernel runs on one device: asked for once, outside of enqueue.
struct Machine
{
    int32_t blocks;        // that run at once
    size_t sharedBytes;    // of each
};

/// Sets the kernels' limit of dynamic shared memory and finds out how many blocks fit.
cudaError_t prepare(Machine& machine) noexcept;

/// ticket: one int32 on the device, at 0; the kernel leaves it at 0. Blocks draw their rows from it.
cudaError_t run(Machine const& machine, Element element, void const* x, void* y, int64_t rows, int64_t length,
    bool exclusive, int32_t* ticket, cudaStream_t stream) noexcept;
} // namespace cumsum
