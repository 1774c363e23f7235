// The worked example of chapter 4, to read and to play with: y[n, c, l] = gain[c] * x[n, c, l].
//
// The gains are weights. Each object has its own copy of them on the host; an object that runs has another on the
// device, which it alone frees.
#include <NvInferRuntime.h>
#include <cstring>
#include <cuda_runtime_api.h>
#include <memory>
#include <new>
#include <utility>
#include <vector>

using namespace nvinfer1;

cudaError_t launchChannelGain(float const* x, float const* gain, float* y, int64_t n, int64_t channels, int64_t length,
    cudaStream_t stream);

namespace
{
class ChannelGain final : public IPluginV3,
                          public IPluginV3OneCore,
                          public IPluginV3OneBuild,
                          public IPluginV3OneRuntime
{
public:
    explicit ChannelGain(std::vector<float> gains) noexcept
        : mGains(std::move(gains))
    {
    }

    ~ChannelGain() override
    {
        static_cast<void>(cudaFree(mOnDevice)); // of a null pointer, too
    }

    // A copy has the gains; what it needs on the device it makes for itself.
    ChannelGain(ChannelGain const& other)
        : mGains(other.mGains)
    {
    }
    ChannelGain& operator=(ChannelGain const&) = delete;

    // ---- copies
    IPluginV3* clone() noexcept override
    {
        return copy();
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        std::unique_ptr<ChannelGain> attached(copy());
        if (attached == nullptr || !attached->upload())
        {
            return nullptr;
        }
        return attached.release(); // TensorRT's from here on
    }

    // ---- what a plan keeps
    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mField = {"gains", mGains.data(), PluginFieldType::kFLOAT32, static_cast<int32_t>(mGains.size())};
        mFields = {1, &mField};
        return &mFields;
    }

    // ---- questions
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override
    {
        if (type == PluginCapabilityType::kBUILD)
        {
            return static_cast<IPluginV3OneBuild*>(this);
        }
        if (type == PluginCapabilityType::kRUNTIME)
        {
            return static_cast<IPluginV3OneRuntime*>(this);
        }
        return static_cast<IPluginV3OneCore*>(this);
    }

    char const* getPluginName() const noexcept override { return "ChannelGain"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 1; }

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

    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t, int32_t) noexcept override
    {
        return inOut[pos].desc.type == DataType::kFLOAT && inOut[pos].desc.format == TensorFormat::kLINEAR;
    }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    // ---- work
    int32_t onShapeChange(PluginTensorDesc const* in, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        bool const fits = in[0].dims.nbDims == 3 && in[0].dims.d[1] == static_cast<int64_t>(mGains.size());
        return fits && upload() ? 0 : -1;
    }

    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        Dims const& dims = in[0].dims;
        return launchChannelGain(static_cast<float const*>(inputs[0]), mOnDevice, static_cast<float*>(outputs[0]),
                   dims.d[0] * dims.d[1] * dims.d[2], dims.d[1], dims.d[2], stream)
                == cudaSuccess
            ? 0
            : -1;
    }

private:
    ChannelGain* copy() const noexcept
    {
        try
        {
            return new ChannelGain(*this);
        }
        catch (std::bad_alloc const&) // a vector throws, and nothing may leave a noexcept method
        {
            return nullptr;
        }
    }

    // The gains on the device, once. Called where memory may be allocated: not in enqueue().
    bool upload() noexcept
    {
        if (mOnDevice != nullptr || mGains.empty())
        {
            return true;
        }
        size_t const bytes = mGains.size() * sizeof(float);
        return cudaMalloc(reinterpret_cast<void**>(&mOnDevice), bytes) == cudaSuccess
            && cudaMemcpy(mOnDevice, mGains.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    }

    std::vector<float> mGains;
    float* mOnDevice{nullptr};
    PluginField mField{};
    PluginFieldCollection mFields{};
};

class ChannelGainCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "ChannelGain"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mFields; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* given, TensorRTPhase) noexcept override
    {
        if (given == nullptr || given->nbFields != 1 || std::strcmp(given->fields[0].name, "gains") != 0)
        {
            return nullptr; // there is no plugin without its gains, in either phase
        }
        PluginField const& gains = given->fields[0];
        if (gains.data == nullptr || gains.type != PluginFieldType::kFLOAT32 || gains.length < 1)
        {
            return nullptr;
        }
        try
        {
            auto const* first = static_cast<float const*>(gains.data);
            return new ChannelGain(std::vector<float>(first, first + gains.length)); // copied: the field is lent
        }
        catch (std::bad_alloc const&)
        {
            return nullptr;
        }
    }

private:
    PluginField mField{"gains", nullptr, PluginFieldType::kFLOAT32, 0};
    PluginFieldCollection mFields{1, &mField};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static ChannelGainCreator creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
