// The runtime capability of a plugin with three versions of one kernel: TensorRT times them and says which to take.
#pragma once

#include <NvInferRuntime.h>

#include "launch.h"

class TunedRuntime : public nvinfer1::IPluginV3OneRuntime
{
public:
    int32_t setTactic(int32_t version) noexcept override
    {
        mVersion = version;
        return 0;
    }

    int32_t onShapeChange(nvinfer1::PluginTensorDesc const* /*in*/, int32_t /*nbInputs*/,
        nvinfer1::PluginTensorDesc const* /*out*/, int32_t /*nbOutputs*/) noexcept override
    {
        return 0;
    }

    int32_t enqueue(nvinfer1::PluginTensorDesc const* /*inputDesc*/, nvinfer1::PluginTensorDesc const* /*outputDesc*/,
        void const* const* inputs, void* const* outputs, void* /*workspace*/, cudaStream_t stream) noexcept override
    {
        return launchScale(mVersion, static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]), stream);
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
    int32_t mVersion{0};
};
