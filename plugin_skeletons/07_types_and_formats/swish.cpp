// Swish:   y = x / (1 + exp(-x))   on a tensor of any shape, FP32 or FP16
//
// The plugin of the worked example; its kernel is in swish_kernel.cu. Watch supportsFormatCombination() and enqueue().
#include "swish_kernel.h"

#include <NvInferRuntime.h>
#include <new>

using namespace nvinfer1;

namespace
{
class Swish final : public IPluginV3,
                    public IPluginV3OneCore,
                    public IPluginV3OneBuild,
                    public IPluginV3OneRuntime
{
public:
    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t, int32_t) noexcept override
    {
        DataType const type = inOut[pos].desc.type;
        TensorFormat const format = inOut[pos].desc.format;
        if (pos == 0)
        {
            return (type == DataType::kFLOAT || type == DataType::kHALF) && format == TensorFormat::kLINEAR;
        }
        return type == inOut[0].desc.type && format == inOut[0].desc.format;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        int64_t n = 1;
        for (int32_t i = 0; i < inputDesc[0].dims.nbDims; ++i)
        {
            n *= inputDesc[0].dims.d[i];
        }
        auto const launch = inputDesc[0].type == DataType::kHALF ? swishHalf : swishFloat;
        return launch(inputs[0], outputs[0], n, stream) == cudaSuccess ? 0 : -1;
    }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t, DataType const* inputTypes, int32_t) const noexcept override
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

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

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

    IPluginV3* clone() noexcept override { return new (std::nothrow) Swish(); }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mKept; }
    char const* getPluginName() const noexcept override { return "CourseSwish"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    int32_t getNbOutputs() const noexcept override { return 1; }

private:
    PluginFieldCollection mKept{0, nullptr};
};

class SwishCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "CourseSwish"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mAdvertised; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept override
    {
        return new (std::nothrow) Swish();
    }

private:
    PluginFieldCollection mAdvertised{0, nullptr};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static SwishCreator creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
