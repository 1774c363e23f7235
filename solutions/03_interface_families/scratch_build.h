// The build capability of a plugin that needs scratch memory: 4 bytes for each element of its input.
#pragma once

#include <NvInferRuntime.h>

class ScratchBuild : public nvinfer1::IPluginV3OneBuild
{
public:
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const* /*in*/, int32_t /*nbInputs*/,
        nvinfer1::DynamicPluginTensorDesc const* /*out*/, int32_t /*nbOutputs*/) noexcept override
    {
        return 0;
    }

    int32_t getOutputDataTypes(nvinfer1::DataType* outputTypes, int32_t /*nbOutputs*/,
        nvinfer1::DataType const* inputTypes, int32_t /*nbInputs*/) const noexcept override
    {
        outputTypes[0] = inputTypes[0];
        return 0;
    }

    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t /*nbInputs*/,
        nvinfer1::DimsExprs const* /*shapeInputs*/, int32_t /*nbShapeInputs*/, nvinfer1::DimsExprs* outputs,
        int32_t /*nbOutputs*/, nvinfer1::IExprBuilder& /*exprBuilder*/) noexcept override
    {
        outputs[0] = inputs[0];
        return 0;
    }

    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t /*nbInputs*/,
        int32_t /*nbOutputs*/) noexcept override
    {
        return inOut[pos].desc.type == nvinfer1::DataType::kFLOAT
            && inOut[pos].desc.format == nvinfer1::TensorFormat::kLINEAR;
    }

    int32_t getNbOutputs() const noexcept override
    {
        return 1;
    }

    size_t getWorkspaceSize(nvinfer1::DynamicPluginTensorDesc const* inputs, int32_t /*nbInputs*/,
        nvinfer1::DynamicPluginTensorDesc const* /*outputs*/, int32_t /*nbOutputs*/) const noexcept override
    {
        nvinfer1::Dims const& most = inputs[0].max;
        size_t bytes = 4;
        for (int32_t k = 0; k < most.nbDims; ++k)
        {
            bytes *= static_cast<size_t>(most.d[k]);
        }
        return bytes;
    }

    char const* getTimingCacheID() noexcept override // nullptr: no timing of this plugin is ever kept
    {
        return "4 bytes per element";
    }
};
