// Square: y = x * x, FP32, a whole plugin in as few lines as it takes.
#include "common/export.h"
#include "common/status.h"
#include "square_kernel.h"

#include <NvInferRuntime.h>
#include <new>

using namespace nvinfer1;

class Square final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime
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
    IPluginV3* clone() noexcept override { return new (std::nothrow) Square; }

    char const* getPluginName() const noexcept override { return "Square"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "course"; }

    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(DataType* outputs, int32_t, DataType const* inputs, int32_t) const noexcept override
    {
        outputs[0] = inputs[0];
        return kit::kOK;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
        IExprBuilder&) noexcept override
    {
        outputs[0] = inputs[0];
        return kit::kOK;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* t, int32_t, int32_t) noexcept override
    {
        return t[pos].desc.type == DataType::kFLOAT && t[pos].desc.format == TensorFormat::kLINEAR;
    }
    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return kit::kOK;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return kit::kOK;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        int64_t n = 1;
        for (int32_t i = 0; i < in[0].dims.nbDims; ++i)
        {
            n *= in[0].dims.d[i];
        }
        auto const* from = static_cast<float const*>(inputs[0]);
        auto* to = static_cast<float*>(outputs[0]);
        return kit::status(launchSquare(from, to, n, stream));
    }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mNothing; }

private:
    PluginFieldCollection mNothing{};
};

class SquareCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "Square"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "course"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mNothing; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept override
    {
        return new (std::nothrow) Square;
    }

private:
    PluginFieldCollection mNothing{};
};

KIT_EXPORT(SquareCreator)
