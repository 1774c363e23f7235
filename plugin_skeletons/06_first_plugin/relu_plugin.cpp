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

// YOUR TURN 6: one output, of the type and the shape of the one input. Return kit::kOK, or kit::kFAILED for any other
// number of inputs or outputs.
int32_t Relu::getOutputDataTypes(
    DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept
{
    return kit::kFAILED;
}

int32_t Relu::getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t,
    DimsExprs* outputs, int32_t nbOutputs, IExprBuilder&) noexcept
{
    return kit::kFAILED;
}

// YOUR TURN 7: whether inOut[pos] may be as it is described. Accept what the kernel can really read and write, FP32 in
// the linear layout, for input and output alike. What you accept you must compute; what you refuse is never handed to you.
bool Relu::supportsFormatCombination(
    int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept
{
    return false;
}

// END

int32_t Relu::configurePlugin(
    DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept
{
    return kit::kOK; // nothing to prepare
}

int32_t Relu::onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept
{
    return kit::kOK; // nothing to prepare
}

// YOUR TURN 8: count the elements, in 64 bits, and hand pointers, count and stream to launchRelu(). Return 0 if it went
// well and anything else if not; kit::status() makes one of the other.
int32_t Relu::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
    void* const* outputs, void*, cudaStream_t stream) noexcept
{
    return kit::kFAILED;
}

// YOUR TURN 9: another object like this one; one for an execution context; and what a plan keeps of this plugin, which
// is a list of no fields. A list of nothing is a list: TensorRT gets its address, not null.
IPluginV3* Relu::clone() noexcept
{
    return nullptr;
}

IPluginV3* Relu::attachToContext(IPluginResourceContext*) noexcept
{
    return nullptr;
}

PluginFieldCollection const* Relu::getFieldsToSerialize() noexcept
{
    return nullptr;
}
// END
