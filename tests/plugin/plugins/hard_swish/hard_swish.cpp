// HardSwish: REGISTER_TENSORRT_PLUGIN instead of getCreators. Such a library is loaded by dlopen, and its creator is in
// the registry from then on; IPluginRegistry::loadLibrary would not take it.
#include "hard_swish_kernel.h"

#include <NvInferRuntime.h>
#include <new>

using namespace nvinfer1;

namespace
{
class HardSwish final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime
{
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override
    {
        switch (type)
        {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }

    IPluginV3* clone() noexcept override { return new (std::nothrow) HardSwish(); }

    char const* getPluginName() const noexcept override { return "HardSwish"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getOutputDataTypes(DataType* outputTypes, int32_t, DataType const* inputTypes, int32_t) const noexcept override
    {
        outputTypes[0] = inputTypes[0];
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
        IExprBuilder&) noexcept override
    {
        outputs[0] = inputs[0];
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t, int32_t) noexcept override
    {
        DataType const type = inOut[pos].desc.type;
        bool const known = type == DataType::kFLOAT || type == DataType::kHALF;
        return known && inOut[pos].desc.format == TensorFormat::kLINEAR && type == inOut[0].desc.type;
    }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        int64_t n = 1;
        for (int32_t i = 0; i < inputDesc[0].dims.nbDims; ++i)
        {
            n *= inputDesc[0].dims.d[i];
        }
        if (inputDesc[0].type == DataType::kHALF)
        {
            return hardSwishHalf(inputs[0], outputs[0], n, stream);
        }
        return hardSwishFloat(static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]), n, stream);
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mFields; }

private:
    PluginFieldCollection mFields{0, nullptr};
};

class HardSwishCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "HardSwish"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mFields; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept override
    {
        return new (std::nothrow) HardSwish();
    }

private:
    PluginFieldCollection mFields{0, nullptr};
};

REGISTER_TENSORRT_PLUGIN(HardSwishCreator);
} // namespace
