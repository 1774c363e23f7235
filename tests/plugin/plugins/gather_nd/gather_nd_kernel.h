#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

constexpr int32_t kMAX_DEPTH = 8;

//! What to gather, counted in elements.
struct GatherNDPlan
{
    int64_t batches;              //!< product of the batch extents
    int64_t tuplesPerBatch;       //!< index tuples of one batch
    int64_t sliceSize;            //!< elements that one tuple addresses
    int64_t batchStride;          //!< elements of data in one batch
    int32_t depth;                //!< extents that a tuple addresses
    int64_t extent[kMAX_DEPTH];   //!< those extents
    int64_t stride[kMAX_DEPTH];   //!< and their strides in data

    int64_t outputSize() const noexcept { return batches * tuplesPerBatch * sliceSize; }
};

//! Negative indices count from the end. A tuple that lies outside of data gives zeros, as nothing can be reported.
//! \param elementSize 2 or 4 bytes; the elements are moved, never computed with.
//! \param indices64 whether indices are int64_t, else int32_t.
cudaError_t gatherND(GatherNDPlan const& plan, void const* data, int32_t elementSize, void const* indices,
    bool indices64, void* out, cudaStream_t stream) noexcept;
