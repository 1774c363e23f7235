// KvCacheAppend(cache, fresh, position): an in-place plugin. Where TensorRT does not alias (without the preview feature
// kALIASED_PLUGIN_IO_10_03), output and cache are two buffers, and the cache is copied on the stream first.
#include "kv_cache_append_kernel.h"

#include <NvInferRuntime.h>
#include <memory>
#include <new>

namespace
{
using namespace nvinfer1;

struct Identity
{
    static constexpr AsciiChar const* name = "KvCacheAppend";
    static constexpr AsciiChar const* version = "1";
    static constexpr AsciiChar const* space = "";
};

enum : int32_t
{
    CACHE,
    FRESH,
    POSITION,
    APPENDED, // output 0
    COUNT
};

int32_t bytesOf(DataType type) noexcept
{
    return type == DataType::kHALF ? 2 : 4;
}

class KvCacheAppend final : public IPluginV3,
                            public IPluginV3OneCore,
                            public IPluginV3OneBuildV2,
                            public IPluginV3OneRuntime
{
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override
    {
        if (type == PluginCapabilityType::kBUILD)
            return static_cast<IPluginV3OneBuildV2*>(this);
        if (type == PluginCapabilityType::kRUNTIME)
            return static_cast<IPluginV3OneRuntime*>(this);
        if (type == PluginCapabilityType::kCORE)
            return static_cast<IPluginV3OneCore*>(this);
        return nullptr;
    }

    IPluginV3* clone() noexcept override { return new (std::nothrow) KvCacheAppend(); }

    AsciiChar const* getPluginName() const noexcept override { return Identity::name; }
    AsciiChar const* getPluginVersion() const noexcept override { return Identity::version; }
    AsciiChar const* getPluginNamespace() const noexcept override { return Identity::space; }

    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getAliasedInput(int32_t outputIndex) noexcept override { return outputIndex == 0 ? CACHE : -1; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 3 || nbOutputs != 1)
            return -1;
        outputTypes[0] = inputTypes[CACHE];
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        if (nbInputs != 3 || nbOutputs != 1 || inputs[CACHE].nbDims != 3 || inputs[FRESH].nbDims != 3
            || inputs[POSITION].nbDims != 1)
            return -1;
        outputs[0] = inputs[CACHE];
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs + nbOutputs != COUNT || inOut[pos].desc.format != TensorFormat::kLINEAR)
            return false;
        DataType const type = inOut[pos].desc.type;
        switch (pos)
        {
        case CACHE: return type == DataType::kFLOAT || type == DataType::kHALF;
        case POSITION: return type == DataType::kINT32;
        default: return type == inOut[CACHE].desc.type;
        }
    }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    int32_t onShapeChange(
        PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const*, int32_t) noexcept override
    {
        if (nbInputs != 3)
            return -1;
        Dims const& c = in[CACHE].dims;
        Dims const& f = in[FRESH].dims;
        return c.d[0] == f.d[0] && c.d[2] == f.d[2] && in[POSITION].dims.d[0] == c.d[0] ? 0 : -1;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        Dims const& c = inputDesc[CACHE].dims;
        kv::Extents const extents{c.d[0], c.d[1], inputDesc[FRESH].dims.d[1], c.d[2]};
        int32_t const size = bytesOf(inputDesc[CACHE].type);
        auto const bytes = static_cast<size_t>(extents.batch * extents.capacity * extents.width) * size;
        if (outputs[0] != inputs[CACHE] && bytes != 0)
        {
            cudaError_t const copied
                = cudaMemcpyAsync(outputs[0], inputs[CACHE], bytes, cudaMemcpyDeviceToDevice, stream);
            if (copied != cudaSuccess)
                return -1;
        }
        auto const* position = static_cast<int32_t const*>(inputs[POSITION]);
        return kv::append(extents, size, outputs[0], inputs[FRESH], position, stream) == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mNothing; }

private:
    PluginFieldCollection mNothing{};
};

// No fields; any that are given are refused, so that a misspelt attribute does not pass in silence.
class KvCacheAppendCreator final : public IPluginCreatorV3One
{
public:
    AsciiChar const* getPluginName() const noexcept override { return Identity::name; }
    AsciiChar const* getPluginVersion() const noexcept override { return Identity::version; }
    AsciiChar const* getPluginNamespace() const noexcept override { return Identity::space; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mNothing; }

    IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        return fc == nullptr || fc->nbFields == 0 ? new (std::nothrow) KvCacheAppend() : nullptr;
    }

private:
    PluginFieldCollection mNothing{};
};
} // namespace

extern "C" nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static KvCacheAppendCreator creator;
    static nvinfer1::IPluginCreatorInterface* const all[]{&creator};
    nbCreators = 1;
    return all;
}

extern "C" void setLoggerFinder(nvinfer1::ILoggerFinder*) {}
