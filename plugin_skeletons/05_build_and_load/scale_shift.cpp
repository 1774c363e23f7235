// ScaleShift: what its methods do. Given; it is built on the kit, in common/.
#include "scale_shift.h"

#include "common/fields.h"
#include "common/log.h"
#include "common/status.h"
#include "scale_shift_kernel.h"

#include <new>

using namespace nvinfer1;

namespace
{
int64_t volume(Dims const& dims) noexcept
{
    int64_t n = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i)
    {
        n *= dims.d[i];
    }
    return n;
}
} // namespace

ScaleShift::ScaleShift(float scale, float shift) noexcept
    : mScale(scale)
    , mShift(shift)
{
}

IPluginCapability* ScaleShift::getCapabilityInterface(PluginCapabilityType type) noexcept
{
    switch (type)
    {
    case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
    case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
    case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
    }
    return nullptr;
}

IPluginV3* ScaleShift::clone() noexcept
{
    return new (std::nothrow) ScaleShift(mScale, mShift);
}

int32_t ScaleShift::getOutputDataTypes(
    DataType* outputs, int32_t nbOutputs, DataType const* inputs, int32_t nbInputs) const noexcept
{
    if (nbInputs != 1 || nbOutputs != 1)
    {
        return kit::kFAILED;
    }
    outputs[0] = inputs[0];
    return kit::kOK;
}

int32_t ScaleShift::getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t,
    DimsExprs* outputs, int32_t nbOutputs, IExprBuilder&) noexcept
{
    if (nbInputs != 1 || nbOutputs != 1)
    {
        return kit::kFAILED;
    }
    outputs[0] = inputs[0];
    return kit::kOK;
}

bool ScaleShift::supportsFormatCombination(
    int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept
{
    if (nbInputs != 1 || nbOutputs != 1 || pos < 0 || pos > 1 || inOut[pos].desc.format != TensorFormat::kLINEAR)
    {
        return false;
    }
    DataType const type = inOut[pos].desc.type;
    return pos == 0 ? type == DataType::kFLOAT || type == DataType::kHALF : type == inOut[0].desc.type;
}

int32_t ScaleShift::configurePlugin(
    DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept
{
    return kit::kOK;
}

int32_t ScaleShift::onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept
{
    return kit::kOK;
}

int32_t ScaleShift::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
    void* const* outputs, void*, cudaStream_t stream) noexcept
{
    int64_t const n = volume(inputDesc[0].dims);
    switch (inputDesc[0].type)
    {
    case DataType::kFLOAT:
        return kit::status(scaleShiftFloat(
            static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]), n, mScale, mShift, stream));
    case DataType::kHALF: return kit::status(scaleShiftHalf(inputs[0], outputs[0], n, mScale, mShift, stream));
    default: return kit::kFAILED;
    }
}

IPluginV3* ScaleShift::attachToContext(IPluginResourceContext*) noexcept
{
    return clone();
}

PluginFieldCollection const* ScaleShift::getFieldsToSerialize() noexcept
{
    mFields = {PluginField{"scale", &mScale, PluginFieldType::kFLOAT32, 1},
        PluginField{"shift", &mShift, PluginFieldType::kFLOAT32, 1}};
    mCollection = {static_cast<int32_t>(mFields.size()), mFields.data()};
    return &mCollection;
}

IPluginV3* ScaleShiftCreator::createPlugin(char const*, PluginFieldCollection const* collection, TensorRTPhase) noexcept
{
    float scale = 1.0F;
    float shift = 0.0F;
    kit::Fields fields(collection);
    fields.read("scale", scale);
    fields.read("shift", shift);
    if (!fields.done())
    {
        kit::logError(fields.problem());
        return nullptr;
    }
    return new (std::nothrow) ScaleShift(scale, shift);
}
