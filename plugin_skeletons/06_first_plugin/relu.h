// Relu and its creator: which methods there are. Given; relu_plugin.cpp and relu_creator.cpp say what they do.
#pragma once

#include <NvInferRuntime.h>

// By these three texts a plan, or a parser, asks the registry for the creator.
constexpr char const* kRELU_NAME = "FirstRelu";
constexpr char const* kRELU_VERSION = "1";
constexpr char const* kRELU_NAMESPACE = "course";

class Relu final : public nvinfer1::IPluginV3,
                   public nvinfer1::IPluginV3OneCore,
                   public nvinfer1::IPluginV3OneBuild,
                   public nvinfer1::IPluginV3OneRuntime
{
public:
    // IPluginV3
    nvinfer1::IPluginCapability* getCapabilityInterface(nvinfer1::PluginCapabilityType type) noexcept override;
    nvinfer1::IPluginV3* clone() noexcept override;

    // IPluginV3OneCore: who are you?
    char const* getPluginName() const noexcept override { return kRELU_NAME; }
    char const* getPluginVersion() const noexcept override { return kRELU_VERSION; }
    char const* getPluginNamespace() const noexcept override { return kRELU_NAMESPACE; }

    // IPluginV3OneBuild: what comes out, and in which types and layouts?
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(nvinfer1::DataType* outputTypes, int32_t nbOutputs,
        nvinfer1::DataType const* inputTypes, int32_t nbInputs) const noexcept override;
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t nbInputs,
        nvinfer1::DimsExprs const* shapeInputs, int32_t nbShapeInputs, nvinfer1::DimsExprs* outputs,
        int32_t nbOutputs, nvinfer1::IExprBuilder& builder) noexcept override;
    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
        int32_t nbOutputs) noexcept override;
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const* inputs, int32_t nbInputs,
        nvinfer1::DynamicPluginTensorDesc const* outputs, int32_t nbOutputs) noexcept override;

    // IPluginV3OneRuntime: run!
    int32_t onShapeChange(nvinfer1::PluginTensorDesc const* inputs, int32_t nbInputs,
        nvinfer1::PluginTensorDesc const* outputs, int32_t nbOutputs) noexcept override;
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
        void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) noexcept override;
    nvinfer1::IPluginV3* attachToContext(nvinfer1::IPluginResourceContext* context) noexcept override;
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override;

private:
    nvinfer1::PluginFieldCollection mNoFields{0, nullptr}; // what a plan keeps of a plugin without attributes
};

class ReluCreator final : public nvinfer1::IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kRELU_NAME; }
    char const* getPluginVersion() const noexcept override { return kRELU_VERSION; }
    char const* getPluginNamespace() const noexcept override { return kRELU_NAMESPACE; }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override;
    nvinfer1::IPluginV3* createPlugin(char const* name, nvinfer1::PluginFieldCollection const* fields,
        nvinfer1::TensorRTPhase phase) noexcept override;

private:
    nvinfer1::PluginFieldCollection mNoFields{0, nullptr}; // what may be given to a plugin without attributes
};
