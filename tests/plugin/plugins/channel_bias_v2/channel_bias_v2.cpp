// ChannelBias, version 1: IPluginV2DynamicExt, deprecated since TensorRT 10.0 and still what many libraries are made of.
// The device copy of the bias belongs to each object. initialize is not called on the clones that contexts get, so
// attachToContext and configurePlugin see to the copy too.
#include "blob.h"
#include "channel_bias_kernel.h"
#include "device_array.h"

#include <NvInferRuntime.h>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // the V2 interfaces, on purpose

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "ChannelBias";
constexpr char const* kVERSION = "1";

class ChannelBiasV2 final : public IPluginV2DynamicExt
{
public:
    explicit ChannelBiasV2(std::vector<float> bias)
        : mBias(std::move(bias))
    {
    }

    // IPluginV2
    char const* getPluginType() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override { return mDevice.fill(mBias) == cudaSuccess ? 0 : -1; }
    void terminate() noexcept override { mDevice.reset(); }
    size_t getSerializationSize() const noexcept override { return blob::sizeOf(mBias); }
    void serialize(void* buffer) const noexcept override { blob::write(mBias, buffer); }
    void destroy() noexcept override { delete this; }

    void setPluginNamespace(char const* pluginNamespace) noexcept override
    {
        try
        {
            mNamespace = pluginNamespace == nullptr ? "" : pluginNamespace;
        }
        catch (std::exception const&)
        {
            mNamespace.clear();
        }
    }

    char const* getPluginNamespace() const noexcept override { return mNamespace.c_str(); }

    // IPluginV2Ext
    DataType getOutputDataType(int32_t, DataType const* inputTypes, int32_t) const noexcept override
    {
        return inputTypes[0];
    }

    void attachToContext(cudnnContext*, cublasContext*, IGpuAllocator*) noexcept override
    {
        static_cast<void>(mDevice.fill(mBias)); // where it fails, enqueue reports it
    }

    // IPluginV2DynamicExt
    IPluginV2DynamicExt* clone() const noexcept override
    {
        try
        {
            auto* copy = new ChannelBiasV2(mBias);
            copy->setPluginNamespace(mNamespace.c_str());
            return copy;
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

    DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t, IExprBuilder&) noexcept override
    {
        return inputs[0];
    }

    bool supportsFormatCombination(
        int32_t pos, PluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inOut[pos].format != TensorFormat::kLINEAR)
        {
            return false;
        }
        return pos == 0 ? inOut[0].type == DataType::kFLOAT || inOut[0].type == DataType::kHALF
                        : inOut[1].type == inOut[0].type;
    }

    void configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        static_cast<void>(mDevice.fill(mBias));
    }

    size_t getWorkspaceSize(
        PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) const noexcept override
    {
        return 0;
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
        return channelBias(inputs[0], mDevice.data(), outputs[0], dims.d[0], dims.d[1], inner,
                   inputDesc[0].type == DataType::kHALF, stream)
                == cudaSuccess
            ? 0
            : -1;
    }

private:
    std::vector<float> const mBias;
    std::string mNamespace;
    DeviceArray mDevice;
};

// bias: at least one float32, required. Other fields are ignored.
class ChannelBiasV2Creator final : public IPluginCreator
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV2* createPlugin(char const*, PluginFieldCollection const* fc) noexcept override
    {
        try
        {
            std::vector<float> bias;
            for (int32_t i = 0; fc != nullptr && fc->fields != nullptr && i < fc->nbFields; ++i)
            {
                PluginField const& field = fc->fields[i];
                if (field.name == nullptr || std::strcmp(field.name, "bias") != 0)
                {
                    continue;
                }
                if (field.data == nullptr || field.type != PluginFieldType::kFLOAT32 || field.length < 1)
                {
                    return nullptr;
                }
                bias.resize(static_cast<size_t>(field.length));
                std::memcpy(bias.data(), field.data, bias.size() * sizeof(float));
            }
            return bias.empty() ? nullptr : withNamespace(new ChannelBiasV2(std::move(bias)));
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

    IPluginV2* deserializePlugin(char const*, void const* serialData, size_t serialLength) noexcept override
    {
        try
        {
            auto bias = blob::read(serialData, serialLength);
            return bias ? withNamespace(new ChannelBiasV2(std::move(*bias))) : nullptr;
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

    void setPluginNamespace(char const* pluginNamespace) noexcept override
    {
        try
        {
            mNamespace = pluginNamespace == nullptr ? "" : pluginNamespace;
        }
        catch (std::exception const&)
        {
            mNamespace.clear();
        }
    }

    char const* getPluginNamespace() const noexcept override { return mNamespace.c_str(); }

private:
    IPluginV2* withNamespace(ChannelBiasV2* plugin) const noexcept
    {
        plugin->setPluginNamespace(mNamespace.c_str());
        return plugin;
    }

    std::string mNamespace;
    PluginField mField{"bias", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection mCollection{1, &mField};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static ChannelBiasV2Creator creator;
    static IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
