#include "row_softmax_kernel.h"

#include <cuda_fp16.h>

namespace softmax
{
namespace
{
constexpr int kThreads = 128;
constexpr int64_t kChunk = 256;

// The largest element of a part of a row, and the sum of exp(x - largest) over it.
struct Part
{
    float largest;
    float sum;
};

__device__ Part merge(Part a, Part b)
{
    float const largest = fmaxf(a.largest, b.largest);
    if (largest == -INFINITY)
    {
        return {largest, 0.0F};
    }
    return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest)};
}

/// The part of all threads of the block, in every thread.
__device__ Part mergeBlock(Part part)
{
    __shared__ Part parts[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2)
    {
        part = merge(part,
            {__shfl_xor_sync(~0U, part.largest, offset), __shfl_xor_sync(~0U, part.sum, offset)});
    }
    __syncthreads(); // the parts of the last call have been read
    if (threadIdx.x % 32 == 0)
    {
        parts[threadIdx.x / 32] = part;
    }
    __syncthreads();
    Part all = parts[0];
    for (int w = 1; w < kThreads / 32; ++w)
    {
        all = merge(all, parts[w]);
    }
    return all;
}

template <typename T>
__device__ Part partOf(T const* x, int64_t begin, int64_t end, float scale)
{
    Part part{-INFINITY, 0.0F};
    for (int64_t i = begin + threadIdx.x; i < end; i += kThreads)
    {
        part = merge(part, {scale * static_cast<float>(x[i]), 1.0F});
    }
    return mergeBlock(part);
}

template <typename T>
__device__ void writeOut(T const* x, T* y, int64_t begin, int64_t end, float scale, Part row)
{
    for (int64_t i = begin + threadIdx.x; i < end; i += kThreads)
    {
        y[i] = static_cast<T>(expf(scale * static_cast<float>(x[i]) - row.largest) / row.sum);
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads) rowKernel(T const* x, T* y, int64_t rows, int64_t length, float scale)
{
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    {
        Part const part = partOf(x + row * length, 0, length, scale);
        writeOut(x + row * length, y + row * length, 0, length, scale, part);
    }
}

// Task t is chunk t % chunks of row t / chunks.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    reduceChunks(T const* x, Part* parts, int64_t tasks, int64_t chunks, int64_t length, float scale)
{
    for (int64_t task = blockIdx.x; task < tasks; task += gridDim.x)
    {
        int64_t const begin = task % chunks * kChunk;
        Part const part
            = partOf(x + task / chunks * length, begin, begin + kChunk < length ? begin + kChunk : length, scale);
        if (threadIdx.x == 0)
        {
            parts[task] = part;
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads) scaleChunks(
    T const* x, T* y, Part const* parts, int64_t tasks, int64_t chunks, int64_t length, float scale)
{
    for (int64_t task = blockIdx.x; task < tasks; task += gridDim.x)
    {
        int64_t const row = task / chunks;
        Part part{-INFINITY, 0.0F};
        for (int64_t c = threadIdx.x; c < chunks; c += kThreads)
        {
            part = merge(part, parts[row * chunks + c]);
        }
        part = mergeBlock(part);
        int64_t const begin = task % chunks * kChunk;
        writeOut(x + row * length, y + row * length, begin, begin + kChunk < length ? begin + kChunk : length, scale,
            part);
    }
}

int64_t chunksOf(int64_t length) noexcept
{
    return (length + kChunk - 1) / kChunk;
}

unsigned blocksFor(int64_t tasks) noexcept
{
    return static_cast<unsigned>(tasks < 65535 ? tasks : 65535);
}

template <typename T>
cudaError_t launchRows(Problem const& p, cudaStream_t stream) noexcept
{
    rowKernel<T><<<blocksFor(p.rows), kThreads, 0, stream>>>(
        static_cast<T const*>(p.x), static_cast<T*>(p.y), p.rows, p.length, p.scale);
    return cudaGetLastError();
}

template <typename T>
cudaError_t launchChunks(Problem const& p, Part* parts, cudaStream_t stream) noexcept
{
    auto const* x = static_cast<T const*>(p.x);
    int64_t const chunks = chunksOf(p.length);
    int64_t const tasks = p.rows * chunks;
    reduceChunks<T><<<blocksFor(tasks), kThreads, 0, stream>>>(x, parts, tasks, chunks, p.length, p.scale);
    cudaError_t const status = cudaGetLastError();
    if (status != cudaSuccess)
    {
        return status;
    }
    scaleChunks<T><<<blocksFor(tasks), kThreads, 0, stream>>>(
        x, static_cast<T*>(p.y), parts, tasks, chunks, p.length, p.scale);
    return cudaGetLastError();
}
} // namespace

size_t chunkWorkspace(int64_t rows, int64_t length) noexcept
{
    return static_cast<size_t>(rows) * static_cast<size_t>(chunksOf(length)) * sizeof(Part);
}

cudaError_t byRow(Problem const& p, cudaStream_t stream) noexcept
{
    if (p.rows == 0 || p.length == 0)
    {
        return cudaSuccess;
    }
    return p.half ? launchRows<__half>(p, stream) : launchRows<float>(p, stream);
}

cudaError_t byChunk(Problem const& p, void* workspace, cudaStream_t stream) noexcept
{
    if (p.rows == 0 || p.length == 0)
    {
        return cudaSuccess;
    }
    auto* parts = static_cast<Part*>(workspace);
    return p.half ? launchChunks<__half>(p, parts, stream) : launchChunks<float>(p, parts, stream);
}
} // namespace softmax
