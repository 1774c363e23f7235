// RelativePositionBias(query, past, table): T5's bias for attention with a cache.
//
//   query [B, H, Q, D]   the queries of this step      only their extents are of interest,
//   past  [B, H, P, D]   the keys of the steps before   no element of the two is read
//   table [R, H]         a number for each bucket of distances and each head
//   bias  [1, H, Q, K]   K = P + Q, rounded up to a multiple of the attribute pad_to
//
// The class is whole: what is missing are five of its methods, in relative_position_bias.cpp. Add members if you need
// some.
#pragma once

#include "bias_kernel.h"

#include <NvInferRuntime.h>

constexpr int32_t kQUERY = 0; // the inputs
constexpr int32_t kPAST = 1;
constexpr int32_t kTABLE = 2;
constexpr int32_t kINPUTS = 3;

class RelativePositionBias final : public nvinfer1::IPluginV3,
                                   public nvinfer1::IPluginV3OneCore,
                                   public nvinfer1::IPluginV3OneBuild,
                                   public nvinfer1::IPluginV3OneRuntime
{
public:
    explicit RelativePositionBias(BiasParameters const& parameters) noexcept
        : mParameters(parameters)
    {
    }

    // Yours, in relative_position_bias.cpp.
    int32_t getOutputShapes(nvinfer1::DimsExprs const* inputs, int32_t nbInputs,
        nvinfer1::DimsExprs const* shapeInputs, int32_t nbShapeInputs, nvinfer1::DimsExprs* outputs, int32_t nbOutputs,
        nvinfer1::IExprBuilder& builder) noexcept override;
    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const* in, int32_t nbInputs,
        nvinfer1::DynamicPluginTensorDesc const* out, int32_t nbOutputs) noexcept override;
    size_t getWorkspaceSize(nvinfer1::DynamicPluginTensorDesc const* inputs, int32_t nbInputs,
        nvinfer1::DynamicPluginTensorDesc const* outputs, int32_t nbOutputs) const noexcept override;
    int32_t onShapeChange(nvinfer1::PluginTensorDesc const* in, int32_t nbInputs,
        nvinfer1::PluginTensorDesc const* out, int32_t nbOutputs) noexcept override;
    int32_t enqueue(nvinfer1::PluginTensorDesc const* inputDesc, nvinfer1::PluginTensorDesc const* outputDesc,
        void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) noexcept override;

    // Given, in bias_library.cpp.
    nvinfer1::IPluginCapability* getCapabilityInterface(nvinfer1::PluginCapabilityType type) noexcept override;
    nvinfer1::IPluginV3* clone() noexcept override;
    nvinfer1::IPluginV3* attachToContext(nvinfer1::IPluginResourceContext* context) noexcept override;
    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override;
    char const* getPluginName() const noexcept override;
    char const* getPluginVersion() const noexcept override;
    char const* getPluginNamespace() const noexcept override;
    int32_t getNbOutputs() const noexcept override;
    int32_t getOutputDataTypes(nvinfer1::DataType* outputTypes, int32_t nbOutputs,
        nvinfer1::DataType const* inputTypes, int32_t nbInputs) const noexcept override;
    bool supportsFormatCombination(int32_t pos, nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
        int32_t nbOutputs) noexcept override;

private:
    BiasParameters mParameters;
    nvinfer1::PluginField mFields[3]{};
    nvinfer1::PluginFieldCollection mKept{};
};
