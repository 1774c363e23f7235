// Relu: what its methods do. g++ compiles this file; it knows of the kernel only what relu_kernel.h says.
#include "relu.h"

#include "common/status.h"
#include "relu_kernel.h"

#include <new>

using namespace nvinfer1;

IPluginCapability* Relu::getCapabilityInterface(PluginCapabilityType type) noexcept
{
    switch (type)
    {
    case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
    case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
    case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
    }
    return nullptr;
}

int32_t Relu::getOutputDataTypes(
    DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept
{
    if (nbInputs != 1 || nbOutputs != 1)
    {
        return kit::kFAILED;
    }
    outputTypes[0] = inputTypes[0];
    return kit::kOK;
}

int32_t Relu::getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t,
    DimsExprs* outputs, int32_t nbOutputs, IExprBuilder&) noexcept
{
    if (nbInputs != 1 || nbOutputs != 1)
    {
        return kit::kFAILED;
    }
    outputs[0] = inputs[0];
    return kit::kOK;
}

bool Relu::supportsFormatCombination(
    int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept
{
    if (nbInputs != 1 || nbOutputs != 1)
    {
        return false;
    }
    PluginTensorDesc const& asked = inOut[pos].desc;
    return asked.type == DataType::kFLOAT && asked.format == TensorFormat::kLINEAR;
}

int32_t Relu::configurePlugin(
    DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept
{
    return kit::kOK; // nothing to prepare
}

int32_t Relu::onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept
{
    return kit::kOK; // nothing to prepare
}

int32_t Relu::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
    void* const* outputs, void*, cudaStream_t stream) noexcept
{
    Dims const& dims = inputDesc[0].dims;
    int64_t n = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i)
    {
        n *= dims.d[i];
    }
    return kit::status(
        launchRelu(static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]), n, stream));
}

IPluginV3* Relu::clone() noexcept
{
    return new (std::nothrow) Relu;
}

IPluginV3* Relu::attachToContext(IPluginResourceContext*) noexcept
{
    return clone();
}

PluginFieldCollection const* Relu::getFieldsToSerialize() noexcept
{
    return &mNoFields;
}
