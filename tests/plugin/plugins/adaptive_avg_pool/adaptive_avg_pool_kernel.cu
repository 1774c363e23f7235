#include "adaptive_avg_pool_kernel.cuh"

#include <cuda_fp16.h>

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 4;

template <class T>
__device__ float get(const T* p) { return static_cast<float>(*p); }

// One warp for each output element: its lanes share the window, a shuffle tree adds up.
template <class T>
__global__ void pool(const T* x, T* y, PoolShape s)
{
    const int lane = threadIdx.x % kWarp;
    const long long warps = static_cast<long long>(gridDim.x) * kWarpsPerBlock;
    const long long total = s.planes * s.out_h * s.out_w;
    for (long long o = static_cast<long long>(blockIdx.x) * kWarpsPerBlock + threadIdx.x / kWarp; o < total; o += warps) {
        const long long j = o % s.out_w;
        const long long i = o / s.out_w % s.out_h;
        const long long plane = o / (s.out_w * s.out_h);
        const long long top = i * s.in_h / s.out_h, bottom = ((i + 1) * s.in_h + s.out_h - 1) / s.out_h;
        const long long left = j * s.in_w / s.out_w, right = ((j + 1) * s.in_w + s.out_w - 1) / s.out_w;
        const long long width = right - left, area = (bottom - top) * width;
        float sum = 0.0f;
        for (long long k = lane; k < area; k += kWarp)
            sum += get(x + (plane * s.in_h + top + k / width) * s.in_w + left + k % width);
        for (int step = kWarp / 2; step > 0; step /= 2)
            sum += __shfl_down_sync(0xFFFFFFFFu, sum, step);
        if (lane == 0)
            y[o] = static_cast<T>(sum / static_cast<float>(area));
    }
}

template <class T>
static cudaError_t launch(const void* x, void* y, const PoolShape& s, cudaStream_t stream)
{
    const long long total = s.planes * s.out_h * s.out_w;
    const long long blocks = (total + kWarpsPerBlock - 1) / kWarpsPerBlock;
    const unsigned grid = blocks < (1 << 16) ? static_cast<unsigned>(blocks) : 1u << 16;
    pool<T><<<grid, kWarp * kWarpsPerBlock, 0, stream>>>(static_cast<const T*>(x), static_cast<T*>(y), s);
    return cudaGetLastError();
}

cudaError_t adaptive_avg_pool(
    const void* x, void* y, const PoolShape& s, bool half_precision, cudaStream_t stream) noexcept
{
    if (s.planes == 0)
        return cudaSuccess; // no plane, no window
    if (s.in_h < 1 || s.in_w < 1)
        return cudaErrorInvalidValue; // the mean of nothing
    return half_precision ? launch<__half>(x, y, s, stream) : launch<float>(x, y, s, stream);
}
