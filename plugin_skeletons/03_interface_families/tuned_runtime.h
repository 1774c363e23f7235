// The runtime capability of a plugin with three versions of one kernel: TensorRT times them and says which to take.
//
// It does not compile. When it does, version 0 is the only one that ever runs.
#pragma once

#include <NvInferRuntime.h>

#include "launch.h"

class TunedRuntime : public nvinfer1::IPluginV3OneRuntime
{
public:
    // YOUR TURN 4: whatever TensorRT chooses, version 0 runs. Spell the name as the base class does, and have the compiler
    // check it from now on.
    int32_t setTatic(int32_t version) noexcept
    {
        mVersion = version;
        return 0;
    }

    int32_t onShapeChange(nvinfer1::PluginTensorDesc const* /*in*/, int32_t /*nbInputs*/,
        nvinfer1::PluginTensorDesc const* /*out*/, int32_t /*nbOutputs*/) noexcept override
    {
        return 0;
    }

    // YOUR TURN 3: it came over from a plugin of TensorRT 7. Let the compiler say what has been missing since 8.0.
    int32_t enqueue(nvinfer1::PluginTensorDesc const* /*inputDesc*/, nvinfer1::PluginTensorDesc const* /*outputDesc*/,
        void const* const* inputs, void* const* outputs, void* /*workspace*/, cudaStream_t stream) override
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
