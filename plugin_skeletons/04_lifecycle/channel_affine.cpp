// ChannelAffine:   y[n, c, l] = weight[c] * x[n, c, l] + bias[c]   FP32 or FP16
//
// A plugin that builds, runs and gives right results in the process that made it. Four defects in its life are left:
// one in how it is copied, one in what a context gets, one in what a plan keeps, one in what it knows once it is
// rebuilt. They are all in the class ChannelAffine. Find them, and mend them.
#include "channel_affine_kernel.h"

#include <NvInferRuntime.h>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "ChannelAffine";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "";

class ChannelAffine final : public IPluginV3,
                            public IPluginV3OneCore,
                            public IPluginV3OneBuild,
                            public IPluginV3OneRuntime
{
public:
    // weights and bias: so many numbers as there are channels, of which the plugin keeps a copy.
    ChannelAffine(float const* weights, float const* bias, int32_t channels)
        : mChannels(channels)
        , mPairs(new Pair[channels])
    {
        for (int32_t c = 0; c < channels; ++c)
        {
            mPairs[c] = Pair{weights[c], bias[c]};
        }
    }

    ~ChannelAffine() override
    {
        static_cast<void>(cudaFree(mOnDevice)); // of a null pointer, too
        delete[] mPairs;
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

    IPluginV3* clone() noexcept override
    {
        try
        {
            return new ChannelAffine(*this);
        }
        catch (std::bad_alloc const&)
        {
            return nullptr;
        }
    }

    // The plugin of one execution context.
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        return this; // the weights never change: there is nothing to copy
    }

    // What a plan keeps: two lists, as the creator reads them.
    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        std::vector<float> weights(mChannels);
        std::vector<float> bias(mChannels);
        for (int32_t c = 0; c < mChannels; ++c)
        {
            weights[c] = mPairs[c].weight;
            bias[c] = mPairs[c].bias;
        }
        mFields[0] = PluginField{"weights", weights.data(), PluginFieldType::kFLOAT32, mChannels};
        mFields[1] = PluginField{"bias", bias.data(), PluginFieldType::kFLOAT32, mChannels};
        mKept = {2, mFields};
        return &mKept;
    }

    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }

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
        if (nbInputs != 1 || nbOutputs != 1)
        {
            return -1;
        }
        outputs[0] = inputs[0];
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inOut[pos].desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        DataType const type = inOut[pos].desc.type;
        return pos == 0 ? type == DataType::kFLOAT || type == DataType::kHALF : type == inOut[0].desc.type;
    }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const* in, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        mType = in[0].desc.type;
        return in[0].desc.dims.nbDims == 3 ? 0 : -1;
    }

    // Before enqueue(), with the extents of that call: the place to allocate what enqueue() needs.
    int32_t onShapeChange(PluginTensorDesc const* in, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        Dims const& dims = in[0].dims;
        if (dims.nbDims != 3 || dims.d[1] != mChannels)
        {
            return -1;
        }
        mElements = dims.d[0] * dims.d[1] * dims.d[2];
        mLength = dims.d[2];
        return upload() ? 0 : -1;
    }

    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const* inputs, void* const* outputs,
        void*, cudaStream_t stream) noexcept override
    {
        auto const launch = mType == DataType::kHALF ? channelAffineHalf : channelAffineFloat;
        return launch(inputs[0], outputs[0], mOnDevice, mElements, mChannels, mLength, stream) == cudaSuccess ? 0 : -1;
    }

private:
    // The pairs on the device, once.
    bool upload() noexcept
    {
        if (mOnDevice != nullptr)
        {
            return true;
        }
        size_t const bytes = sizeof(Pair) * mChannels;
        return cudaMalloc(reinterpret_cast<void**>(&mOnDevice), bytes) == cudaSuccess
            && cudaMemcpy(mOnDevice, mPairs, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    }

    int32_t mChannels;
    Pair* mPairs;             // on the host
    Pair* mOnDevice{nullptr}; // on the device, once upload() was called
    DataType mType{DataType::kFLOAT};
    int64_t mElements{0};
    int64_t mLength{0};
    PluginField mFields[2]{};
    PluginFieldCollection mKept{};
};

// The creator has no defect.
class ChannelAffineCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mAdvertised; }

    // Both lists, of the same length, in either phase: there is no plugin without its weights.
    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        PluginField const* weights = find(fc, "weights");
        PluginField const* bias = find(fc, "bias");
        if (weights == nullptr || bias == nullptr || weights->length != bias->length)
        {
            return nullptr;
        }
        try
        {
            return new ChannelAffine(
                static_cast<float const*>(weights->data), static_cast<float const*>(bias->data), weights->length);
        }
        catch (std::bad_alloc const&)
        {
            return nullptr;
        }
    }

private:
    // The field of this name, if it is a list of FP32 numbers; else null.
    static PluginField const* find(PluginFieldCollection const* fc, char const* name) noexcept
    {
        int32_t const count = fc == nullptr ? 0 : fc->nbFields;
        for (int32_t i = 0; i < count; ++i)
        {
            PluginField const& field = fc->fields[i];
            if (std::strcmp(field.name, name) == 0)
            {
                bool const good = field.data != nullptr && field.type == PluginFieldType::kFLOAT32 && field.length > 0;
                return good ? &field : nullptr;
            }
        }
        return nullptr;
    }

    PluginField mFields[2]{{"weights", nullptr, PluginFieldType::kFLOAT32, 1},
        {"bias", nullptr, PluginFieldType::kFLOAT32, 1}};
    PluginFieldCollection mAdvertised{2, mFields};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static ChannelAffineCreator creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
