// ChannelShuffle: takes vectorised layouts as they come, so that TensorRT needs no reformat around it.
#include "channel_shuffle_kernel.h"

#include <NvInferRuntime.h>
#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

using namespace nvinfer1;

namespace
{
struct Supported
{
    DataType type;
    TensorFormat format;
    int32_t bytes;
    Layout layout;
};

// TensorRT 10's table of plugin types and formats, as far as this plugin goes.
constexpr Supported kSUPPORTED[] = {
    {DataType::kFLOAT, TensorFormat::kLINEAR, 4, {1, false}},
    {DataType::kHALF, TensorFormat::kLINEAR, 2, {1, false}},
    {DataType::kINT8, TensorFormat::kLINEAR, 1, {1, false}},
    {DataType::kFLOAT, TensorFormat::kCHW32, 4, {32, false}},
    {DataType::kHALF, TensorFormat::kCHW2, 2, {2, false}},
    {DataType::kHALF, TensorFormat::kHWC8, 2, {8, true}},
    {DataType::kINT8, TensorFormat::kCHW4, 1, {4, false}},
    {DataType::kINT8, TensorFormat::kCHW32, 1, {32, false}},
};

Supported const* find(PluginTensorDesc const& desc) noexcept
{
    auto const* found = std::find_if(std::begin(kSUPPORTED), std::end(kSUPPORTED),
        [&](Supported const& each) { return each.type == desc.type && each.format == desc.format; });
    return found == std::end(kSUPPORTED) ? nullptr : found;
}

class ChannelShuffle final : public IPluginV3,
                             public IPluginV3OneCore,
                             public IPluginV3OneBuild,
                             public IPluginV3OneRuntime
{
public:
    explicit ChannelShuffle(int32_t groups) noexcept
        : mGroups(groups)
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

    IPluginV3* clone() noexcept override { return new (std::nothrow) ChannelShuffle(mGroups); }

    char const* getPluginName() const noexcept override { return "ChannelShuffle"; }
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
        int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inputs[0].nbDims != 4)
        {
            return -1;
        }
        outputs[0] = inputs[0];
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1)
        {
            return false;
        }
        PluginTensorDesc const& first = inOut[0].desc;
        PluginTensorDesc const& now = inOut[pos].desc;
        return pos == 0 ? find(first) != nullptr : now.type == first.type && now.format == first.format;
    }

    int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs, DynamicPluginTensorDesc const*,
        int32_t) noexcept override
    {
        bool const divides = nbInputs == 1 && in[0].desc.dims.nbDims == 4
            && (in[0].desc.dims.d[1] == -1 || in[0].desc.dims.d[1] % mGroups == 0);
        return divides ? 0 : -1;
    }

    int32_t onShapeChange(
        PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const*, int32_t) noexcept override
    {
        return nbInputs == 1 && in[0].dims.nbDims == 4 && in[0].dims.d[1] % mGroups == 0 ? 0 : -1;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        Dims const& d = inputDesc[0].dims;
        Supported const* how = find(inputDesc[0]);
        if (how == nullptr)
        {
            return -1;
        }
        ImageBatch const shape{d.d[0], d.d[1], d.d[2] * d.d[3]};
        cudaError_t const status
            = channelShuffle(inputs[0], outputs[0], how->bytes, shape, how->layout, mGroups, stream);
        return status == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mField = {"groups", &mGroups, PluginFieldType::kINT32, 1};
        mCollection = {1, &mField};
        return &mCollection;
    }

private:
    int32_t const mGroups;
    PluginField mField;
    PluginFieldCollection mCollection{};
};

// groups: one int32 of at least 1, required. Unknown fields are ignored.
class ChannelShuffleCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "ChannelShuffle"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        int32_t groups = 0;
        if (fc != nullptr && fc->fields != nullptr)
        {
            for (auto const* field = fc->fields; field < fc->fields + fc->nbFields; ++field)
            {
                if (field->name == nullptr || std::strcmp(field->name, "groups") != 0)
                {
                    continue;
                }
                if (field->type != PluginFieldType::kINT32 || field->length != 1 || field->data == nullptr)
                {
                    return nullptr;
                }
                groups = *static_cast<int32_t const*>(field->data);
            }
        }
        return groups >= 1 ? new (std::nothrow) ChannelShuffle(groups) : nullptr;
    }

private:
    PluginField mField{"groups", nullptr, PluginFieldType::kINT32, 1};
    PluginFieldCollection mCollection{1, &mField};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static ChannelShuffleCreator creator;
    static IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
