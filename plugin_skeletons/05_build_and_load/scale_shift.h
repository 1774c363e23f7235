// ScaleShift: y = scale * x + shift, for a tensor of any shape, FP32 or FP16. The plugin and its creator; given.
#pragma once

#include <NvInferRuntime.h>
#include <array>

// Who they are: plugin and creator answer with the same three texts, by which TensorRT looks the creator up. This file
// only says that there are such texts; registration.cpp says what they are.
struct Identity
{
    char const* name;
    char const* version;
    char const* space; // the namespace
};

extern Identity const kIDENTITY;

class ScaleShift final : public nvinfer1::IPluginV3,
                         public nvinfer1::IPluginV3OneCore,
                         public nvinfer1::IPluginV3OneBuild,
                         public nvinfer1::IPluginV3OneRuntime
{
public:
    ScaleShift(float scale, float shift) noexcept;

    // IPluginV3
    nvinfer1::IPluginCapability* getCapabilityInterface(nvinfer1::PluginCapabilityType type) noexcept override;
    nvinfer1::IPluginV3* clone() noexcept override;

    // IPluginV3OneCore
    char const* getPluginName() const noexcept override { return kIDENTITY.name; }
    char const* getPluginVersion() const noexcept override { return kIDENTITY.version; }
    char const* getPluginNamespace() const noexcept override { return kIDENTITY.space; }

    // IPluginV3OneBuild
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(nvinfer1::DataType* outputs, int32_t nbOutputs, nvinfer1::DataType const* inputs,
        int32_t nbInputs) const noexcept override;
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t nbInputs, nvinfer1::DimsExprs const* shapeInputs,
        int32_t nbShapeInputs, nvinfer1::DimsExprs* outputs, int32_t nbOutputs,
        nvinfer1::IExprBuilder& builder) noexcept override;
    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
        int32_t nbOutputs) noexcept override;
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const* inputs, int32_t nbInputs,
        nvinfer1::DynamicPluginTensorDesc const* outputs, int32_t nbOutputs) noexcept override;

    // IPluginV3OneRuntime
    int32_t onShapeChange(nvinfer1::PluginTensorDesc const* inputs, int32_t nbInputs,
        nvinfer1::PluginTensorDesc const* outputs, int32_t nbOutputs) noexcept override;
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
        void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) noexcept override;
    nvinfer1::IPluginV3* attachToContext(nvinfer1::IPluginResourceContext* context) noexcept override;
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override;

private:
    float mScale;
    float mShift;
    std::array<nvinfer1::PluginField, 2> mFields{};
    nvinfer1::PluginFieldCollection mCollection{};
};

// Attributes: scale (1 where it is missing) and shift (0), one number each.
class ScaleShiftCreator final : public nvinfer1::IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kIDENTITY.name; }
    char const* getPluginVersion() const noexcept override { return kIDENTITY.version; }
    char const* getPluginNamespace() const noexcept override { return kIDENTITY.space; }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }
    nvinfer1::IPluginV3* createPlugin(char const* name, nvinfer1::PluginFieldCollection const* fields,
        nvinfer1::TensorRTPhase phase) noexcept override;

private:
    std::array<nvinfer1::PluginField, 2> mFields{
        nvinfer1::PluginField{"scale", nullptr, nvinfer1::PluginFieldType::kFLOAT32, 1},
        nvinfer1::PluginField{"shift", nullptr, nvinfer1::PluginFieldType::kFLOAT32, 1}};
    nvinfer1::PluginFieldCollection mCollection{static_cast<int32_t>(mFields.size()), mFields.data()};
};
