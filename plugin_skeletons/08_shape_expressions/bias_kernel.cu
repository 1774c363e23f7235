// Supplied: the kernels of RelativePositionBias and what launches them. There is nothing to change here.
#include "bias_kernel.h"

#include <algorithm>
#include <cmath>
#include <cuda_fp16.h>

namespace
{
constexpr int kBLOCK = 128;
constexpr int64_t kMAX_BLOCKS = 65535;

// T5's buckets: start[i] is the least distance of bucket i. The first half has a distance each, the other half grows up
// to maxDistance. It travels as a kernel's argument, so that no device memory has to be owned.
struct Buckets
{
    int32_t start[kMAX_BUCKETS];
    int32_t count; // in one direction
    bool bidirectional;
};

Buckets makeBuckets(int64_t buckets, BiasParameters const& p)
{
    Buckets b{};
    b.bidirectional = p.bidirectional != 0;
    b.count = static_cast<int32_t>(b.bidirectional ? buckets / 2 : buckets);
    int32_t const exact = b.count / 2;
    int32_t const steps = b.count - exact;
    for (int32_t i = 0; i < exact; ++i)
    {
        b.start[i] = i;
    }
    for (int32_t j = 0; j < steps; ++j)
    {
        // exact * (maxDistance / exact)^(j / steps), rounded up; a whole number must not be missed by rounding.
        double const at = exact * std::pow(static_cast<double>(p.maxDistance) / exact, static_cast<double>(j) / steps);
        b.start[exact + j] = static_cast<int32_t>(std::ceil(at * (1.0 - 1e-12)));
    }
    return b;
}

__device__ float load(float const* p) { return *p; }
__device__ float load(__half const* p) { return __half2float(*p); }
__device__ void store(float* p, float value) { *p = value; }
__device__ void store(__half* p, float value) { *p = __float2half(value); }

__device__ int64_t bucketOf(int64_t relative, Buckets const& b)
{
    bool const after = b.bidirectional && relative > 0;
    int64_t const distance = relative > 0 ? (b.bidirectional ? relative : 0) : -relative;
    int32_t bucket = 0;
    while (bucket + 1 < b.count && b.start[bucket + 1] <= distance)
    {
        ++bucket;
    }
    return after ? b.count + bucket : bucket;
}

template <typename T>
__global__ void fillDiagonals(T const* table, float* diagonals, BiasShape const s, Buckets const buckets)
{
    int64_t const count = s.past + 2 * s.queries - 1;
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < s.heads * count; i += step)
    {
        int64_t const relative = i % count - (s.past + s.queries - 1);
        diagonals[i] = load(table + bucketOf(relative, buckets) * s.heads + i / count);
    }
}

template <typename T>
__global__ void spread(float const* diagonals, T* out, BiasShape const s)
{
    int64_t const count = s.past + 2 * s.queries - 1;
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    int64_t const n = s.heads * s.queries * s.row;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        int64_t const j = i % s.row;
        int64_t const q = i / s.row % s.queries;
        int64_t const h = i / s.row / s.queries;
        bool const inside = j < s.past + s.queries;
        store(out + i, inside ? diagonals[h * count + j - q + s.queries - 1] : -INFINITY);
    }
}

unsigned blocks(int64_t n)
{
    return static_cast<unsigned>(std::min((n + kBLOCK - 1) / kBLOCK, kMAX_BLOCKS));
}

template <typename T>
cudaError_t launch(void const* table, int64_t buckets, float* diagonals, void* out, BiasShape const& s,
    BiasParameters const& parameters, cudaStream_t stream)
{
    unsigned const first = blocks(s.heads * (s.past + 2 * s.queries - 1));
    fillDiagonals<T><<<first, kBLOCK, 0, stream>>>(
        static_cast<T const*>(table), diagonals, s, makeBuckets(buckets, parameters));
    cudaError_t const filled = cudaGetLastError();
    if (filled != cudaSuccess)
    {
        return filled;
    }
    spread<T><<<blocks(s.heads * s.queries * s.row), kBLOCK, 0, stream>>>(diagonals, static_cast<T*>(out), s);
    return cudaGetLastError();
}
} // namespace

bool bucketsFit(int64_t buckets, BiasParameters const& parameters) noexcept
{
    int64_t const oneWay = parameters.bidirectional != 0 ? buckets / 2 : buckets;
    return oneWay >= 2 && oneWay <= kMAX_BUCKETS && parameters.maxDistance > oneWay / 2;
}

cudaError_t biasFloat(void const* table, int64_t buckets, float* diagonals, void* out, BiasShape const& shape,
    BiasParameters const& parameters, cudaStream_t stream) noexcept
{
    return launch<float>(table, buckets, diagonals, out, shape, parameters, stream);
}

cudaError_t biasHalf(void const* table, int64_t buckets, float* diagonals, void* out, BiasShape const& shape,
    BiasParameters const& parameters, cudaStream_t stream) noexcept
{
    return launch<__half>(table, buckets, diagonals, out, shape, parameters, stream);
}
