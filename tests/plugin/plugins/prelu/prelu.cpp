// ChannelPrelu: PReLU with a slope for each channel. The slopes are weights: kept on the host for cloning and
// serialization, and on the device for the kernel. Every object owns its device copy, uploaded outside of enqueue.
#include "prelu_kernel.h"

#include <NvInferRuntime.h>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace prelu
{
using namespace nvinfer1;

inline constexpr AsciiChar const* NAME = "ChannelPrelu";
inline constexpr AsciiChar const* VERSION = "2";
inline constexpr AsciiChar const* NAMESPACE = "";
inline constexpr AsciiChar const* SLOPES = "slopes";

/// Device memory for the slopes; filled once, freed with its owner.
class DeviceWeights
{
public:
    DeviceWeights() = default;
    DeviceWeights(DeviceWeights const&) = delete;
    DeviceWeights& operator=(DeviceWeights const&) = delete;
    ~DeviceWeights()
    {
        if (mData != nullptr)
        {
            static_cast<void>(cudaFree(mData));
        }
    }

    float const* data() const noexcept { return mData; }

    cudaError_t upload(std::vector<float> const& values) noexcept
    {
        if (mData != nullptr)
        {
            return cudaSuccess;
        }
        void* memory = nullptr;
        size_t const bytes = values.size() * sizeof(float);
        cudaError_t status = cudaMalloc(&memory, bytes);
        if (status != cudaSuccess)
        {
            return status;
        }
        status = cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice);
        if (status != cudaSuccess)
        {
            static_cast<void>(cudaFree(memory));
            return status;
        }
        mData = static_cast<float*>(memory);
        return cudaSuccess;
    }

private:
    float* mData{nullptr};
};

class Plugin final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime
{
public:
    explicit Plugin(std::vector<float> slopes)
        : mSlopes(std::move(slopes))
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

    IPluginV3* clone() noexcept override { return copy(); }

    AsciiChar const* getPluginName() const noexcept override { return NAME; }
    AsciiChar const* getPluginVersion() const noexcept override { return VERSION; }
    AsciiChar const* getPluginNamespace() const noexcept override { return NAMESPACE; }

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
        if (nbInputs != 1 || nbOutputs != 1 || inOut[pos].desc.format != PluginFormat::kLINEAR)
        {
            return false;
        }
        DataType const t = inOut[pos].desc.type;
        if (pos == 1)
        {
            return t == inOut[0].desc.type;
        }
        return t == DataType::kFLOAT || t == DataType::kHALF || t == DataType::kBF16;
    }

    int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs, DynamicPluginTensorDesc const*,
        int32_t nbOutputs) noexcept override
    {
        return nbInputs == 1 && nbOutputs == 1 && channelsFit(in[0].max) ? 0 : -1;
    }

    int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const*,
        int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || !channelsFit(in[0].dims))
        {
            return -1;
        }
        return mWeights.upload(mSlopes) == cudaSuccess ? 0 : -1;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        Dims const& dims = inputDesc[0].dims;
        if (!channelsFit(dims) || mWeights.data() == nullptr)
        {
            return -1;
        }
        int64_t inner = 1;
        for (int32_t i = 2; i < dims.nbDims; ++i)
        {
            inner *= dims.d[i];
        }
        cudaError_t const status = run(inputDesc[0].type, inputs[0], mWeights.data(), outputs[0], dims.d[0],
            dims.d[1], inner, stream);
        return status == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        Plugin* attached = copy();
        if (attached != nullptr && attached->mWeights.upload(attached->mSlopes) != cudaSuccess)
        {
            delete attached;
            return nullptr;
        }
        return attached;
    }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mField = {SLOPES, mSlopes.data(), PluginFieldType::kFLOAT32, static_cast<int32_t>(mSlopes.size())};
        mCollection.nbFields = 1;
        mCollection.fields = &mField;
        return &mCollection;
    }

private:
    Plugin* copy() const noexcept
    {
        try
        {
            return new Plugin(mSlopes);
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

    bool channelsFit(Dims const& dims) const noexcept
    {
        return dims.nbDims >= 2 && dims.d[1] == static_cast<int64_t>(mSlopes.size());
    }

    std::vector<float> mSlopes;
    DeviceWeights mWeights;
    PluginField mField{};
    PluginFieldCollection mCollection{};
};

/// One field, `slopes`: at least one float32. It has no default. Fields of other names are ignored.
class Creator final : public IPluginCreatorV3One
{
public:
    AsciiChar const* getPluginName() const noexcept override { return NAME; }
    AsciiChar const* getPluginVersion() const noexcept override { return VERSION; }
    AsciiChar const* getPluginNamespace() const noexcept override { return NAMESPACE; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    try
    {
        std::vector<float> slopes;
        for (int32_t i = 0; fc != nullptr && fc->fields != nullptr && i < fc->nbFields; ++i)
        {
            PluginField const& f = fc->fields[i];
            if (f.name == nullptr || std::string_view{f.name} != SLOPES)
            {
                continue;
            }
            if (f.type != PluginFieldType::kFLOAT32 || f.data == nullptr || f.length < 1)
            {
                return nullptr;
            }
            slopes.resize(static_cast<size_t>(f.length));
            std::memcpy(slopes.data(), f.data, slopes.size() * sizeof(float));
        }
        return slopes.empty() ? nullptr : new Plugin(std::move(slopes));
    }
    catch (std::exception const&)
    {
        return nullptr;
    }

private:
    PluginField mField{SLOPES, nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection mCollection{1, &mField};
};
} // namespace prelu

extern "C"
{
    nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
    {
        static prelu::Creator creator;
        static nvinfer1::IPluginCreatorInterface* const list[] = {&creator};
        nbCreators = 1;
        return list;
    }

    void setLoggerFinder(nvinfer1::ILoggerFinder*) {}
}
