// RelativePositionBias(scores, table): T5's bias by bucketed distance, added to attention scores. The number of buckets
// is the first extent of the table; heads, queries and keys are dynamic.
#include "bias_kernel.h"

#include <NvInferRuntime.h>
#include <cstring>
#include <memory>
#include <new>

namespace nvi = nvinfer1;

namespace
{
struct Parameters
{
    int32_t bidirectional{1};
    int32_t maxDistance{128};
};

constexpr int32_t kScores = 0;
constexpr int32_t kTable = 1;
constexpr int32_t kOut = 2; // as numbered in supportsFormatCombination

class RelativePositionBias final : public nvi::IPluginV3,
                                   public nvi::IPluginV3OneCore,
                                   public nvi::IPluginV3OneBuild,
                                   public nvi::IPluginV3OneRuntime
{
public:
    explicit RelativePositionBias(Parameters const& parameters) noexcept
        : mParameters(parameters)
    {
    }

    nvi::IPluginCapability* getCapabilityInterface(nvi::PluginCapabilityType type) noexcept override;
    nvi::IPluginV3* clone() noexcept override;

    char const* getPluginName() const noexcept override { return "RelativePositionBias"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(nvi::DataType* outputTypes, int32_t nbOutputs, nvi::DataType const* inputTypes,
        int32_t nbInputs) const noexcept override;
    int32_t getOutputShapes(nvi::DimsExprs const* inputs, int32_t nbInputs, nvi::DimsExprs const* shapeInputs,
        int32_t nbShapeInputs, nvi::DimsExprs* outputs, int32_t nbOutputs, nvi::IExprBuilder& builder) noexcept override;
    bool supportsFormatCombination(int32_t pos, nvi::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
        int32_t nbOutputs) noexcept override;
    int32_t configurePlugin(nvi::DynamicPluginTensorDesc const* in, int32_t nbInputs,
        nvi::DynamicPluginTensorDesc const* out, int32_t nbOutputs) noexcept override;

    int32_t onShapeChange(nvi::PluginTensorDesc const* in, int32_t nbInputs, nvi::PluginTensorDesc const* out,
        int32_t nbOutputs) noexcept override;
    int32_t enqueue(nvi::PluginTensorDesc const* inputDesc, nvi::PluginTensorDesc const* outputDesc,
        void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) noexcept override;
    nvi::IPluginV3* attachToContext(nvi::IPluginResourceContext* context) noexcept override;
    nvi::PluginFieldCollection const* getFieldsToSerialize() noexcept override;

private:
    bool tableFits(nvi::Dims const& table) const noexcept;

    Parameters mParameters;
    nvi::PluginField mFields[2];
    nvi::PluginFieldCollection mCollection{};
};

nvi::IPluginCapability* RelativePositionBias::getCapabilityInterface(nvi::PluginCapabilityType type) noexcept
{
    switch (type)
    {
    case nvi::PluginCapabilityType::kBUILD: return static_cast<nvi::IPluginV3OneBuild*>(this);
    case nvi::PluginCapabilityType::kRUNTIME: return static_cast<nvi::IPluginV3OneRuntime*>(this);
    case nvi::PluginCapabilityType::kCORE: return static_cast<nvi::IPluginV3OneCore*>(this);
    }
    return nullptr;
}

nvi::IPluginV3* RelativePositionBias::clone() noexcept
{
    return new (std::nothrow) RelativePositionBias(mParameters);
}

int32_t RelativePositionBias::getOutputDataTypes(nvi::DataType* outputTypes, int32_t nbOutputs,
    nvi::DataType const* inputTypes, int32_t nbInputs) const noexcept
{
    if (nbInputs != 2 || nbOutputs != 1)
    {
        return -1;
    }
    outputTypes[0] = inputTypes[kScores];
    return 0;
}

int32_t RelativePositionBias::getOutputShapes(nvi::DimsExprs const* inputs, int32_t nbInputs, nvi::DimsExprs const*,
    int32_t, nvi::DimsExprs* outputs, int32_t nbOutputs, nvi::IExprBuilder&) noexcept
{
    if (nbInputs != 2 || nbOutputs != 1 || inputs[kScores].nbDims != 4 || inputs[kTable].nbDims != 2)
    {
        return -1;
    }
    outputs[0] = inputs[kScores];
    return 0;
}

bool RelativePositionBias::supportsFormatCombination(
    int32_t pos, nvi::DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept
{
    if (nbInputs != 2 || nbOutputs != 1 || pos < kScores || pos > kOut)
    {
        return false;
    }
    nvi::PluginTensorDesc const& d = inOut[pos].desc;
    bool const type = pos == kScores ? d.type == nvi::DataType::kFLOAT || d.type == nvi::DataType::kHALF
                                     : d.type == inOut[kScores].desc.type;
    return type && d.format == nvi::PluginFormat::kLINEAR;
}

bool RelativePositionBias::tableFits(nvi::Dims const& table) const noexcept
{
    int64_t const buckets = table.nbDims == 2 ? table.d[0] : -1;
    int64_t const oneWay = mParameters.bidirectional != 0 ? buckets / 2 : buckets;
    return oneWay >= 2 && oneWay <= kMaxBuckets && mParameters.maxDistance > oneWay / 2;
}

int32_t RelativePositionBias::configurePlugin(
    nvi::DynamicPluginTensorDesc const* in, int32_t nbInputs, nvi::DynamicPluginTensorDesc const*, int32_t) noexcept
{
    return nbInputs == 2 && tableFits(in[kTable].max) ? 0 : -1;
}

int32_t RelativePositionBias::onShapeChange(
    nvi::PluginTensorDesc const* in, int32_t nbInputs, nvi::PluginTensorDesc const*, int32_t) noexcept
{
    bool const fits = nbInputs == 2 && in[kScores].dims.nbDims == 4 && tableFits(in[kTable].dims)
        && in[kTable].dims.d[1] == in[kScores].dims.d[1];
    return fits ? 0 : -1;
}

int32_t RelativePositionBias::enqueue(nvi::PluginTensorDesc const* inputDesc, nvi::PluginTensorDesc const*,
    void const* const* inputs, void* const* outputs, void*, cudaStream_t stream) noexcept
{
    nvi::Dims const& s = inputDesc[kScores].dims;
    nvi::Dims const& t = inputDesc[kTable].dims;
    if (!tableFits(t))
    {
        return -1;
    }
    BiasShape const shape{s.d[0], s.d[1], s.d[2], s.d[3]};
    Buckets const buckets
        = makeBuckets(static_cast<int32_t>(t.d[0]), mParameters.maxDistance, mParameters.bidirectional != 0);
    cudaError_t status = cudaErrorInvalidValue;
    if (inputDesc[kScores].type == nvi::DataType::kFLOAT)
    {
        status = addBiasFloat(static_cast<float const*>(inputs[kScores]), static_cast<float const*>(inputs[kTable]),
            static_cast<float*>(outputs[0]), shape, buckets, stream);
    }
    else if (inputDesc[kScores].type == nvi::DataType::kHALF)
    {
        status = addBiasHalf(inputs[kScores], inputs[kTable], outputs[0], shape, buckets, stream);
    }
    return status == cudaSuccess ? 0 : static_cast<int32_t>(status);
}

nvi::IPluginV3* RelativePositionBias::attachToContext(nvi::IPluginResourceContext*) noexcept
{
    return clone();
}

nvi::PluginFieldCollection const* RelativePositionBias::getFieldsToSerialize() noexcept
{
    mFields[0] = {"bidirectional", &mParameters.bidirectional, nvi::PluginFieldType::kINT32, 1};
    mFields[1] = {"max_distance", &mParameters.maxDistance, nvi::PluginFieldType::kINT32, 1};
    mCollection = {2, mFields};
    return &mCollection;
}

// bidirectional: 0 or 1 (the default); max_distance: at least 2, 128 by default. Unknown fields are ignored, a known one
// that is no single int32 in its range is refused.
class RelativePositionBiasCreator final : public nvi::IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "RelativePositionBias"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    nvi::PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    nvi::IPluginV3* createPlugin(
        char const*, nvi::PluginFieldCollection const* fc, nvi::TensorRTPhase) noexcept override
    {
        Parameters parameters;
        if (!fc || !read(*fc, "bidirectional", 0, 1, parameters.bidirectional)
            || !read(*fc, "max_distance", 2, 1 << 30, parameters.maxDistance))
        {
            return nullptr;
        }
        return std::unique_ptr<nvi::IPluginV3>(new (std::nothrow) RelativePositionBias(parameters)).release();
    }

private:
    // Leaves `value` as it is where there is no such field; false where there is one that cannot be used.
    static bool read(nvi::PluginFieldCollection const& fc, char const* name, int32_t least, int32_t most, int32_t& value)
    {
        for (auto field = fc.fields; field != fc.fields + fc.nbFields; ++field)
        {
            if (!field->name || std::strcmp(field->name, name) != 0)
            {
                continue;
            }
            if (!field->data || field->type != nvi::PluginFieldType::kINT32 || field->length != 1)
            {
                return false;
            }
            std::memcpy(&value, field->data, sizeof value);
            if (value < least || value > most)
            {
                return false;
            }
        }
        return true;
    }

    nvi::PluginField mFields[2]{{"bidirectional", nullptr, nvi::PluginFieldType::kINT32, 1},
        {"max_distance", nullptr, nvi::PluginFieldType::kINT32, 1}};
    nvi::PluginFieldCollection mCollection{2, mFields};
};
} // namespace

extern "C" nvi::IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static RelativePositionBiasCreator creator;
    static nvi::IPluginCreatorInterface* const creators[1]{&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(nvi::ILoggerFinder*) {}
