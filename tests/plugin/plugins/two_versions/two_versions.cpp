// Clamp, versions 1 and 2, in one library: plans that were built with 1 must load when networks are long made with 2.
// Version 1 has the limits as fields, version 2 as inputs; all else is one class.
#include "clamp_kernel.h"

#include <NvInferRuntime.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>

using namespace nvinfer1;

namespace
{
enum class Version
{
    k1,
    k2,
};

constexpr char const* kName = "Clamp";
constexpr char const* kNamespace = "course";

constexpr char const* textOf(Version version)
{
    return version == Version::k1 ? "1" : "2";
}

struct Range
{
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

template <Version V>
class Clamp final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime
{
    static constexpr int32_t kInputs = V == Version::k1 ? 1 : 3;

public:
    explicit Clamp(Range const& range) noexcept
        : mRange(range)
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

    IPluginV3* clone() noexcept override { return new (std::nothrow) Clamp(mRange); }

    char const* getPluginName() const noexcept override { return kName; }
    char const* getPluginVersion() const noexcept override { return textOf(V); }
    char const* getPluginNamespace() const noexcept override { return kNamespace; }
    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != kInputs || nbOutputs != 1)
        {
            return -1;
        }
        outputTypes[0] = inputTypes[0];
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        bool const scalars = std::all_of(inputs + 1, inputs + nbInputs, [](DimsExprs const& d) { return d.nbDims == 0; });
        if (nbInputs != kInputs || nbOutputs != 1 || !scalars)
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
        if (nbInputs != kInputs || nbOutputs != 1 || desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        bool const known
            = desc.type == DataType::kFLOAT || desc.type == DataType::kBF16 || desc.type == DataType::kINT32;
        return known && desc.type == inOut[0].desc.type;
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
        int64_t n = 1;
        for (int32_t i = 0; i < inputDesc[0].dims.nbDims; ++i)
        {
            n *= inputDesc[0].dims.d[i];
        }
        Limits limits{mRange.low, mRange.high, nullptr, nullptr};
        if constexpr (V == Version::k2)
        {
            limits.lowAt = inputs[1];
            limits.highAt = inputs[2];
        }
        return clampElements(inputDesc[0].type, inputs[0], outputs[0], n, limits, stream) == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mFields = {PluginField("low", &mRange.low, PluginFieldType::kFLOAT64, 1),
            PluginField("high", &mRange.high, PluginFieldType::kFLOAT64, 1)};
        mCollection = {V == Version::k1 ? 2 : 0, mFields.data()};
        return &mCollection;
    }

private:
    Range const mRange;
    std::array<PluginField, 2> mFields{};
    PluginFieldCollection mCollection{};
};

// Version 1: low and high, one float64 each, without end where they are missing. Version 2: no fields. Both ignore others.
template <Version V>
class ClampCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kName; }
    char const* getPluginVersion() const noexcept override { return textOf(V); }
    char const* getPluginNamespace() const noexcept override { return kNamespace; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        Range range;
        if constexpr (V == Version::k1)
        {
            if (!read(fc, "low", range.low) || !read(fc, "high", range.high) || !(range.low <= range.high))
            {
                return nullptr;
            }
        }
        return new (std::nothrow) Clamp<V>(range);
    }

private:
    static bool read(PluginFieldCollection const* fc, char const* name, double& value) noexcept
    {
        for (int32_t i = 0; fc != nullptr && fc->fields != nullptr && i < fc->nbFields; ++i)
        {
            PluginField const& field = fc->fields[i];
            if (field.name == nullptr || std::strcmp(field.name, name) != 0)
            {
                continue;
            }
            if (field.type != PluginFieldType::kFLOAT64 || field.length != 1 || field.data == nullptr)
            {
                return false;
            }
            std::memcpy(&value, field.data, sizeof value);
        }
        return true;
    }

    std::array<PluginField, 2> mFields{PluginField("low", nullptr, PluginFieldType::kFLOAT64, 1),
        PluginField("high", nullptr, PluginFieldType::kFLOAT64, 1)};
    PluginFieldCollection mCollection{V == Version::k1 ? 2 : 0, mFields.data()};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static ClampCreator<Version::k1> first;
    static ClampCreator<Version::k2> second;
    static IPluginCreatorInterface* const list[] = {&first, &second};
    nbCreators = 2;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
