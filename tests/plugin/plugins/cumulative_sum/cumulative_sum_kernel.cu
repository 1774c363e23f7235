#include "cumulative_sum_kernel.h"

namespace cumsum
{
namespace
{
constexpr int32_t kThreads = 128;
constexpr int32_t kPerThread = 60;
constexpr int32_t kTile = kThreads * kPerThread; // elements that a block holds in shared memory at a time

// Rows are drawn one by one, so that a block with a short wait takes more of them. The last block to come finds no row
// and puts the counter back.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    scanRows(T const* x, T* y, int32_t rows, int64_t length, bool exclusive, int32_t* ticket)
{
    extern __shared__ unsigned char raw[];
    T* tile = reinterpret_cast<T*>(raw);
    __shared__ T totals[kThreads];
    __shared__ int32_t drawn;
    for (;;)
    {
        if (threadIdx.x == 0)
        {
            drawn = atomicAdd(ticket, 1);
        }
        __syncthreads();
        int32_t const row = drawn;
        __syncthreads();
        if (row >= rows)
        {
            if (threadIdx.x == 0 && row == rows + static_cast<int32_t>(gridDim.x) - 1)
            {
                atomicExch(ticket, 0);
            }
            return;
        }
        T before{};
        for (int64_t start = 0; start < length; start += kTile)
        {
            auto const count = static_cast<int32_t>(length - start < kTile ? length - start : kTile);
            for (int32_t i = threadIdx.x; i < count; i += kThreads)
            {
                tile[i] = x[row * length + start + i];
            }
            __syncthreads();
            int32_t const first = threadIdx.x * kPerThread;
            T sum{};
            for (int32_t i = first; i < first + kPerThread && i < count; ++i)
            {
                sum += tile[i];
            }
            totals[threadIdx.x] = sum;
            __syncthreads();
            for (int32_t step = 1; step < kThreads; step *= 2)
            {
                T const left = static_cast<int32_t>(threadIdx.x) >= step ? totals[threadIdx.x - step] : T{};
                __syncthreads();
                totals[threadIdx.x] += left;
                __syncthreads();
            }
            T running = before + (totals[threadIdx.x] - sum);
            for (int32_t i = first; i < first + kPerThread && i < count; ++i)
            {
                T const value = tile[i];
                tile[i] = exclusive ? running : running + value;
                running += value;
            }
            before += totals[kThreads - 1];
            __syncthreads();
            for (int32_t i = threadIdx.x; i < count; i += kThreads)
            {
                y[row * length + start + i] = tile[i];
            }
            __syncthreads();
        }
    }
}

template <typename T>
cudaError_t launch(Machine const& machine, void const* x, void* y, int64_t rows, int64_t length, bool exclusive,
    int32_t* ticket, cudaStream_t stream) noexcept
{
    auto const blocks = static_cast<unsigned>(rows < machine.blocks ? rows : machine.blocks);
    scanRows<T><<<blocks, kThreads, kTile * sizeof(T), stream>>>(
        static_cast<T const*>(x), static_cast<T*>(y), static_cast<int32_t>(rows), length, exclusive, ticket);
    return cudaGetLastError();
}
} // namespace

cudaError_t prepare(Machine& machine) noexcept
{
    int32_t device = 0;
    int32_t multiprocessors = 0;
    int32_t each = 0;
    machine.sharedBytes = kTile * sizeof(int64_t); // 60 KiB: more than a kernel gets unasked
    auto const bytes = static_cast<int32_t>(machine.sharedBytes);
    cudaError_t status
        = cudaFuncSetAttribute(scanRows<long long>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    status = status ? status : cudaGetDevice(&device);
    status = status ? status : cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    status = status ? status
                    : cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                        &each, scanRows<long long>, kThreads, machine.sharedBytes);
    machine.blocks = multiprocessors * (each > 0 ? each : 1);
    return status;
}

cudaError_t run(Machine const& machine, Element element, void const* x, void* y, int64_t rows, int64_t length,
    bool exclusive, int32_t* ticket, cudaStream_t stream) noexcept
{
    if (rows == 0 || length == 0)
    {
        return cudaSuccess;
    }
    if (rows > (1 << 30))
    {
        return cudaErrorInvalidValue;
    }
    switch (element)
    {
    case Element::kInt32: return launch<int32_t>(machine, x, y, rows, length, exclusive, ticket, stream);
    case Element::kInt64: return launch<long long>(machine, x, y, rows, length, exclusive, ticket, stream);
    case Element::kFloat: return launch<float>(machine, x, y, rows, length, exclusive, ticket, stream);
    }
    return cudaErrorInvalidValue;
}
} // namespace cumsum
