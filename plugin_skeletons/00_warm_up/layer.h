// What a host calls: here the grader, from chapter 3 on TensorRT. Supplied: read it, leave it as it is.
#pragma once

#include <cstddef>
#include <cstdint>

// A tensor whose shape is settled.
struct TensorDesc
{
    std::int64_t count; // elements; -1 where the shape is not settled yet
};

// A tensor whose shape may still vary, as it is while an engine is built.
struct DynamicTensorDesc
{
    TensorDesc desc;  // desc.count is -1
    std::int64_t min; // the fewest elements that will come
    std::int64_t max; // the most
};

class Layer
{
public:
    virtual ~Layer() noexcept = default;

    // How many bytes of scratch memory enqueue needs at most. The host asks while it builds.
    virtual std::size_t getWorkspaceSize(DynamicTensorDesc const* /*inputs*/, std::int32_t /*nbInputs*/) const noexcept
    {
        return 0;
    }

    // Start the work. Returns 0 for success, anything else for failure.
    virtual std::int32_t enqueue(TensorDesc const* inputs, void* workspace) noexcept = 0;
};

// Starts the layer's kernels. Throws where it cannot: whatever the library below it throws.
void runKernels(TensorDesc const* inputs, void* workspace);
