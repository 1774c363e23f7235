// ChannelBias, version 2: what version 1 (IPluginV2DynamicExt) becomes as an IPluginV3. initialize and terminate become
// the upload in onShapeChange and attachToContext, and the destructor; the blob becomes a field.
#include "channel_bias_kernel.h"
#include "device_array.h"

#include <NvInferRuntime.h>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "ChannelBias";
constexpr char const* kVERSION = "2";

class ChannelBiasV3 final : public IPluginV3,
                            public IPluginV3OneCore,
                            public IPluginV3OneBuild,
                            public IPluginV3OneRuntime
{
public:
    explicit ChannelBiasV3(std::vector<float> bias)
        : mBias(std::move(bias))
    {
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

    IPluginV3* clone() noexcept override { return copy().release(); }

    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
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
        int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inputs[0].nbDims < 2)
        {
            return -1;
        }
        outputs[0] = inputs[0];
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        PluginTensorDesc const& desc = inOut[pos].desc;
        if (nbInputs != 1 || nbOutputs != 1 || desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        return pos == 0 ? desc.type == DataType::kFLOAT || desc.type == DataType::kHALF
                        : desc.type == inOut[0].desc.type;
    }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    int32_t onShapeChange(
        PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return mDevice.fill(mBias) == cudaSuccess ? 0 : -1;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        Dims const& dims = inputDesc[0].dims;
        if (dims.nbDims < 2 || dims.d[1] != static_cast<int64_t>(mBias.size()) || mDevice.data() == nullptr)
        {
            return -1;
        }
        int64_t inner = 1;
        for (int32_t i = 2; i < dims.nbDims; ++i)
        {
            inner *= dims.d[i];
        }
        bool const half = inputDesc[0].type == DataType::kHALF;
        cudaError_t const status
            = channelBias(inputs[0], mDevice.data(), outputs[0], dims.d[0], dims.d[1], inner, half, stream);
        return status == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        auto attached = copy();
        return attached && attached->mDevice.fill(mBias) == cudaSuccess ? attached.release() : nullptr;
    }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mField = {"bias", mBias.data(), PluginFieldType::kFLOAT32, static_cast<int32_t>(mBias.size())};
        mCollection = {1, &mField};
        return &mCollection;
    }

private:
    std::unique_ptr<ChannelBiasV3> copy() const noexcept
    {
        try
        {
            return std::make_unique<ChannelBiasV3>(mBias);
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

    std::vector<float> const mBias;
    DeviceArray mDevice;
    PluginField mField;
    PluginFieldCollection mCollection{};
};

// bias: at least one float32, required. Other fields are ignored.
class ChannelBiasV3Creator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        try
        {
            PluginField const* bias = find(fc, "bias");
            if (bias == nullptr || bias->data == nullptr || bias->type != PluginFieldType::kFLOAT32 || bias->length < 1)
            {
                return nullptr;
            }
            auto const* first = static_cast<float const*>(bias->data);
            return new ChannelBiasV3(std::vector<float>(first, first + bias->length));
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

private:
    static PluginField const* find(PluginFieldCollection const* fc, char const* name) noexcept
    {
        for (int32_t i = 0; fc != nullptr && fc->fields != nullptr && i < fc->nbFields; ++i)
        {
            if (fc->fields[i].name != nullptr && std::strcmp(fc->fields[i].name, name) == 0)
            {
                return fc->fields + i;
            }
        }
        return nullptr;
    }

    PluginField mField{"bias", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection mCollection{1, &mField};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static ChannelBiasV3Creator creator;
    static IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
