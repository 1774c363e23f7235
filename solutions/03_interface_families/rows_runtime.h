// The runtime capability of a plugin that works row by row: the first extent of its input counts the rows, the product
// of the others the columns.
#pragma once

#include <NvInferRuntime.h>

#include "launch.h"

class RowsRuntime : public nvinfer1::IPluginV3OneRuntime
{
public:
    int32_t onShapeChange(nvinfer1::PluginTensorDesc const* in, int32_t /*nbInputs*/,
        nvinfer1::PluginTensorDesc const* /*out*/, int32_t /*nbOutputs*/) noexcept override
    {
        int64_t const* extents = in[0].dims.d;
        mRows = extents[0];
        mColumns = 1;
        for (int32_t k = 1; k < in[0].dims.nbDims; ++k)
        {
            mColumns *= extents[k];
        }
        return 0;
    }

    int32_t enqueue(nvinfer1::PluginTensorDesc const* /*inputDesc*/, nvinfer1::PluginTensorDesc const* /*outputDesc*/,
        void const* const* inputs, void* const* outputs, void* /*workspace*/, cudaStream_t stream) noexcept override
    {
        return launchRows(
            mRows, mColumns, static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]), stream);
    }

    // Chapter 4 writes the next two: nobody makes a context or a plan here.
    nvinfer1::IPluginV3* attachToContext(nvinfer1::IPluginResourceContext* /*context*/) noexcept override
    {
        return nullptr;
    }

    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        return nullptr;
    }

private:
    int64_t mRows{0};
    int64_t mColumns{0};
};
