// A layer that needs scratch memory: 4 bytes for each element of each input.
#pragma once

#include "layer.h"

class ScratchLayer : public Layer
{
public:
    std::size_t getWorkspaceSize(DynamicTensorDesc const* inputs, std::int32_t nbInputs) const noexcept override
    {
        std::size_t bytes = 0;
        for (std::int32_t k = 0; k < nbInputs; ++k)
        {
            bytes += static_cast<std::size_t>(inputs[k].max) * sizeof(float);
        }
        return bytes;
    }

    std::int32_t enqueue(TensorDesc const* inputs, void* workspace) noexcept override
    {
        try
        {
            runKernels(inputs, workspace);
        }
        catch (...)
        {
            return 1;
        }
        return 0;
    }
};
