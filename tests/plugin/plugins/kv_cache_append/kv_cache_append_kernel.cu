#include "kv_cache_append_kernel.h"

namespace kv
{
template <typename Bits>
__global__ void appendKernel(Extents e, Bits* cache, Bits const* fresh, int32_t const* position)
{
    int64_t const n = e.batch * e.fresh * e.width;
    int64_t const stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    {
        int64_t const b = i / (e.fresh * e.width);
        int64_t const row = position[b] + i / e.width % e.fresh;
        if (row >= 0 && row < e.capacity)
        {
            cache[(b * e.capacity + row) * e.width + i % e.width] = fresh[i];
        }
    }
}

template <typename Bits>
cudaError_t launch(Extents const& e, void* cache, void const* fresh, int32_t const* position, cudaStream_t stream)
{
    int64_t const blocks = (e.batch * e.fresh * e.width + 127) / 128;
    appendKernel<<<static_cast<unsigned>(blocks < 8192 ? blocks : 8192), 128, 0, stream>>>(
        e, static_cast<Bits*>(cache), static_cast<Bits const*>(fresh), position);
    return cudaGetLastError();
}

cudaError_t append(Extents const& e, int32_t elementBytes, void* cache, void const* fresh, int32_t const* position,
    cudaStream_t stream) noexcept
{
    if (e.batch == 0 || e.fresh == 0 || e.width == 0 || e.capacity == 0)
    {
        return cudaSuccess;
    }
    return elementBytes == 2 ? launch<uint16_t>(e, cache, fresh, position, stream)
                             : launch<uint32_t>(e, cache, fresh, position, stream);
}
} // namespace kv
