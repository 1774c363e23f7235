#include "non_zero_kernel.cuh"

#include <cuda_fp16.h>

// A warp asks for room for all of its finds at once: one atomic for 32 elements.
template <class T>
static __global__ void find(const T* x, int* count, int* where, long long n, long long columns)
{
    const int lane = threadIdx.x % 32;
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long base = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x - lane; base < n; base += step) {
        const long long i = base + lane;
        const bool found = i < n && static_cast<float>(x[i]) != 0.0f;
        const unsigned mask = __ballot_sync(0xFFFFFFFFu, found);
        int first = 0;
        if (lane == 0 && mask != 0)
            first = atomicAdd(count, __popc(mask));
        first = __shfl_sync(0xFFFFFFFFu, first, 0);
        if (found) {
            const long long at = first + __popc(mask & ((1u << lane) - 1));
            where[2 * at] = static_cast<int>(i / columns);
            where[2 * at + 1] = static_cast<int>(i % columns);
        }
    }
}

cudaError_t non_zero(const void* x, bool half, int* count, int* where, long long rows, long long columns,
                     cudaStream_t stream) noexcept
{
    const long long n = rows * columns;
    if (n == 0) return cudaSuccess;
    const long long blocks = (n + 127) / 128;
    const unsigned grid = blocks < 2048 ? static_cast<unsigned>(blocks) : 2048u;
    if (half)
        find<<<grid, 128, 0, stream>>>(static_cast<const __half*>(x), count, where, n, columns);
    else
        find<<<grid, 128, 0, stream>>>(static_cast<const float*>(x), count, where, n, columns);
    return cudaGetLastError();
}
