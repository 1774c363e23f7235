#include "bias_kernel.h"

#include <algorithm>
#include <cmath>
#include <cuda_fp16.h>

namespace
{
__device__ float widen(float v) { return v; }
__device__ float widen(__half v) { return __half2float(v); }
template <typename T> __device__ T narrow(float v);
template <> __device__ float narrow<float>(float v) { return v; }
template <> __device__ __half narrow<__half>(float v) { return __float2half(v); }

__device__ int32_t bucketOf(int64_t relative, Buckets const& b)
{
    bool const after = b.bidirectional && relative > 0;
    int64_t const distance = relative > 0 ? (b.bidirectional ? relative : 0) : -relative;
    int32_t low = 0;
    int32_t high = b.count - 1;
    while (low < high) // the last start that is not beyond the distance
    {
        int32_t const middle = (low + high + 1) / 2;
        if (b.start[middle] <= distance)
        {
            low = middle;
        }
        else
        {
            high = middle - 1;
        }
    }
    return after ? b.count + low : low;
}

// grid: x over keys, y over rows (batch, head, query); both in strides.
template <typename T>
__global__ void addBias(T const* scores, T const* table, T* out, int64_t rows, int64_t heads, int64_t queries,
    int64_t keys, Buckets const buckets)
{
    for (int64_t row = blockIdx.y; row < rows; row += gridDim.y)
    {
        int64_t const query = row % queries;
        int64_t const head = row / queries % heads;
        for (int64_t key = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; key < keys;
             key += static_cast<int64_t>(gridDim.x) * blockDim.x)
        {
            int64_t const i = row * keys + key;
            int64_t const bucket = bucketOf(key - query, buckets);
            out[i] = narrow<T>(widen(scores[i]) + widen(table[bucket * heads + head]));
        }
    }
}

template <typename T>
cudaError_t launch(T const* scores, T const* table, T* out, BiasShape const& s, Buckets const& buckets,
    cudaStream_t stream) noexcept
{
    int64_t const rows = s.batch * s.heads * s.queries;
    if (rows == 0 || s.keys == 0)
    {
        return cudaSuccess;
    }
    dim3 const block(64);
    dim3 const grid(static_cast<uint32_t>(std::min<int64_t>((s.keys + block.x - 1) / block.x, 1024)),
        static_cast<uint32_t>(std::min<int64_t>(rows, 65535)));
    addBias<T><<<grid, block, 0, stream>>>(scores, table, out, rows, s.heads, s.queries, s.keys, buckets);
    return cudaGetLastError();
}
} // namespace

Buckets makeBuckets(int32_t total, int32_t maxDistance, bool bidirectional) noexcept
{
    Buckets b{};
    b.bidirectional = bidirectional;
    b.count = bidirectional ? total / 2 : total;
    int32_t const exact = b.count / 2;
    int32_t const steps = b.count - exact;
    for (int32_t i = 0; i < exact; ++i)
    {
        b.start[i] = i;
    }
    for (int32_t j = 0; j < steps; ++j)
    {
        // exact * (maxDistance / exact)^(j / steps), rounded up; a whole number must not be missed by rounding.
        double const at = exact * std::pow(static_cast<double>(maxDistance) / exact, static_cast<double>(j) / steps);
        b.start[exact + j] = static_cast<int32_t>(std::ceil(at * (1.0 - 1e-12)));
    }
    return b;
}

cudaError_t addBiasFloat(float const* scores, float const* table, float* out, BiasShape const& shape,
    Buckets const& buckets, cudaStream_t stream) noexcept
{
    return launch(scores, table, out, shape, buckets, stream);
}

cudaError_t addBiasHalf(void const* scores, void const* table, void* out, BiasShape const& shape,
    Buckets const& buckets, cudaStream_t stream) noexcept
{
    return launch(static_cast<__half const*>(scores), static_cast<__half const*>(table), static_cast<__half*>(out),
        shape, buckets, stream);
}
