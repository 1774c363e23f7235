// FlattenCopy: a plugin without device code. Its library needs no nvcc.
#include <NvInferRuntime.h>
#include <cstring>
#include <cuda_runtime_api.h>
#include <new>

namespace
{
using namespace nvinfer1;

size_t bytesOf(DataType type) noexcept
{
    switch (type)
    {
    case DataType::kINT64: return 8;
    case DataType::kFLOAT:
    case DataType::kINT32: return 4;
    case DataType::kHALF:
    case DataType::kBF16: return 2;
    case DataType::kINT8: return 1;
    default: return 0; // not supported
    }
}

class FlattenCopy final : public IPluginV3,
                          public IPluginV3OneCore,
                          public IPluginV3OneBuild,
                          public IPluginV3OneRuntime
{
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override
    {
        return type == PluginCapabilityType::kCORE ? static_cast<IPluginCapability*>(static_cast<IPluginV3OneCore*>(this))
            : type == PluginCapabilityType::kBUILD ? static_cast<IPluginCapability*>(static_cast<IPluginV3OneBuild*>(this))
            : type == PluginCapabilityType::kRUNTIME
            ? static_cast<IPluginCapability*>(static_cast<IPluginV3OneRuntime*>(this))
            : nullptr;
    }

    IPluginV3* clone() noexcept override { return new (std::nothrow) FlattenCopy(); }

    char const* getPluginName() const noexcept override { return "FlattenCopy"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1)
        {
            return -1;
        }
        outputTypes[0] = inputTypes[0];
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder& builder) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inputs[0].nbDims < 1)
        {
            return -1;
        }
        IDimensionExpr const* rest = builder.constant(1);
        for (int32_t i = 1; i < inputs[0].nbDims && rest != nullptr; ++i)
        {
            rest = builder.operation(DimensionOperation::kPROD, *rest, *inputs[0].d[i]);
        }
        outputs[0].nbDims = 2;
        outputs[0].d[0] = inputs[0].d[0];
        outputs[0].d[1] = rest;
        return rest != nullptr ? 0 : -1;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        PluginTensorDesc const& desc = inOut[pos].desc;
        return nbInputs == 1 && nbOutputs == 1 && desc.format == TensorFormat::kLINEAR && bytesOf(desc.type) != 0
            && desc.type == inOut[0].desc.type;
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
        size_t bytes = bytesOf(inputDesc[0].type);
        for (int32_t i = 0; i < inputDesc[0].dims.nbDims; ++i)
        {
            bytes *= static_cast<size_t>(inputDesc[0].dims.d[i]);
        }
        if (bytes == 0)
        {
            return 0;
        }
        return cudaMemcpyAsync(outputs[0], inputs[0], bytes, cudaMemcpyDeviceToDevice, stream) == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mNone; }

private:
    PluginFieldCollection mNone{};
};

class FlattenCopyCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "FlattenCopy"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mNone; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept override
    {
        return new (std::nothrow) FlattenCopy();
    }

private:
    PluginFieldCollection mNone{};
};
} // namespace

extern "C" nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static FlattenCopyCreator creator;
    static nvinfer1::IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(nvinfer1::ILoggerFinder*) {}
