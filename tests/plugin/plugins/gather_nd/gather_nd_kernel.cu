#include "gather_nd_kernel.h"

template <typename Element, typename Index>
__global__ void gatherNDKernel(GatherNDPlan const plan, int64_t total, Element const* __restrict__ data,
    Index const* __restrict__ indices, Element* __restrict__ out)
{
    for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < total; i += int64_t{gridDim.x} * blockDim.x)
    {
        int64_t const tuple = i / plan.sliceSize;
        int64_t from = tuple / plan.tuplesPerBatch * plan.batchStride + i % plan.sliceSize;
        bool inside = true;
        for (int32_t axis = 0; axis < plan.depth; ++axis)
        {
            int64_t at = indices[tuple * plan.depth + axis];
            at += at < 0 ? plan.extent[axis] : 0;
            inside = inside && at >= 0 && at < plan.extent[axis];
            from += at * plan.stride[axis];
        }
        out[i] = inside ? data[from] : Element{0};
    }
}

template <typename Element>
static cudaError_t launch(GatherNDPlan const& plan, void const* data, void const* indices, bool indices64, void* out,
    cudaStream_t stream) noexcept
{
    int32_t constexpr kTHREADS{256};
    int64_t const total = plan.outputSize();
    int64_t const wanted = (total + kTHREADS - 1) / kTHREADS;
    dim3 const grid(wanted < 32768 ? static_cast<unsigned int>(wanted) : 32768U);
    auto const* from = static_cast<Element const*>(data);
    auto* to = static_cast<Element*>(out);
    if (indices64)
    {
        gatherNDKernel<<<grid, kTHREADS, 0, stream>>>(plan, total, from, static_cast<int64_t const*>(indices), to);
    }
    else
    {
        gatherNDKernel<<<grid, kTHREADS, 0, stream>>>(plan, total, from, static_cast<int32_t const*>(indices), to);
    }
    return cudaGetLastError();
}

cudaError_t gatherND(GatherNDPlan const& plan, void const* data, int32_t elementSize, void const* indices,
    bool indices64, void* out, cudaStream_t stream) noexcept
{
    if (plan.outputSize() == 0)
    {
        return cudaSuccess;
    }
    switch (elementSize)
    {
    case 2: return launch<uint16_t>(plan, data, indices, indices64, out, stream);
    case 4: return launch<uint32_t>(plan, data, indices, indices64, out, stream);
    default: return cudaErrorInvalidValue;
    }
}
