// KeepPositive(x) -> y, count: the elements of x that are above 0, in any order. The plugin of the worked example.
#include "keep_positive_kernel.h"

#include <NvInferRuntime.h>
#include <new>

using namespace nvinfer1;

namespace
{
class KeepPositive final : public IPluginV3,
                           public IPluginV3OneCore,
                           public IPluginV3OneBuild,
                           public IPluginV3OneRuntime
{
public:
    int32_t getNbOutputs() const noexcept override { return 2; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 2)
        {
            return -1;
        }
        outputTypes[0] = inputTypes[0];
        outputTypes[1] = DataType::kINT32;
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder& builder) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 2 || inputs[0].nbDims != 1)
        {
            return -1;
        }
        IDimensionExpr const& most = *inputs[0].d[0];
        IDimensionExpr const& half = *builder.operation(DimensionOperation::kCEIL_DIV, most, *builder.constant(2));
        outputs[0].nbDims = 1;
        outputs[0].d[0] = builder.declareSizeTensor(1, half, most);
        outputs[1].nbDims = 0;
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 2 || inOut[pos].desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        DataType const type = inOut[pos].desc.type;
        switch (pos)
        {
        case 0: return type == DataType::kFLOAT || type == DataType::kHALF;
        case 1: return type == inOut[0].desc.type;
        default: return type == DataType::kINT32;
        }
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
        auto* const count = static_cast<int32_t*>(outputs[1]);
        int64_t const n = inputDesc[0].dims.d[0];
        cudaError_t status = cudaMemsetAsync(count, 0, sizeof(int32_t), stream);
        if (status == cudaSuccess && n > 0)
        {
            status = keepPositive(inputs[0], inputDesc[0].type == DataType::kHALF, n, outputs[0], count, stream);
        }
        return static_cast<int32_t>(status);
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

    char const* getPluginName() const noexcept override { return "KeepPositive"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    IPluginV3* clone() noexcept override { return new (std::nothrow) KeepPositive; }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mNone; }

private:
    PluginFieldCollection const mNone{0, nullptr};
};

class KeepPositiveCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "KeepPositive"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mNone; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept override
    {
        return new (std::nothrow) KeepPositive;
    }

private:
    PluginFieldCollection const mNone{0, nullptr};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static KeepPositiveCreator creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
