// ScaleShift: y = scale * x + shift. One class for the plugin, one for its creator, fields kept as members.
#include "scale_shift_kernel.h"

#include <NvInferRuntime.h>
#include <array>
#include <cstring>
#include <new>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "ScaleShift";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "";

int64_t volume(Dims const& dims)
{
    int64_t n = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i)
    {
        n *= dims.d[i];
    }
    return n;
}

class ScaleShift final : public IPluginV3,
                         public IPluginV3OneCore,
                         public IPluginV3OneBuild,
                         public IPluginV3OneRuntime
{
public:
    ScaleShift(float scale, float shift) noexcept
        : mScale(scale)
        , mShift(shift)
    {
    }

    // IPluginV3
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

    IPluginV3* clone() noexcept override { return new (std::nothrow) ScaleShift(mScale, mShift); }

    // IPluginV3OneCore
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }

    // IPluginV3OneBuild
    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

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
        if (nbInputs != 1 || nbOutputs != 1 || pos < 0 || pos > 1 || inOut[pos].desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        DataType const type = inOut[pos].desc.type;
        return pos == 0 ? type == DataType::kFLOAT || type == DataType::kHALF : type == inOut[0].desc.type;
    }

    // IPluginV3OneRuntime
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        int64_t const n = volume(inputDesc[0].dims);
        switch (inputDesc[0].type)
        {
        case DataType::kFLOAT:
            return scaleShiftFloat(static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]), n, mScale,
                       mShift, stream)
                == cudaSuccess
                ? 0
                : -1;
        case DataType::kHALF:
            return scaleShiftHalf(inputs[0], outputs[0], n, mScale, mShift, stream) == cudaSuccess ? 0 : -1;
        default: return -1;
        }
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mFields = {PluginField{"scale", &mScale, PluginFieldType::kFLOAT32, 1},
            PluginField{"shift", &mShift, PluginFieldType::kFLOAT32, 1}};
        mCollection = {static_cast<int32_t>(mFields.size()), mFields.data()};
        return &mCollection;
    }

private:
    float mScale;
    float mShift;
    std::array<PluginField, 2> mFields{};
    PluginFieldCollection mCollection{};
};

// Fields: scale (default 1) and shift (default 0), one float32 each. Unknown, wrongly typed and empty ones are refused.
class ScaleShiftCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        float scale = 1.0F;
        float shift = 0.0F;
        if (fc == nullptr || fc->nbFields < 0 || (fc->nbFields > 0 && fc->fields == nullptr))
        {
            return nullptr;
        }
        for (int32_t i = 0; i < fc->nbFields; ++i)
        {
            PluginField const& field = fc->fields[i];
            if (field.name == nullptr || field.data == nullptr || field.type != PluginFieldType::kFLOAT32
                || field.length != 1)
            {
                return nullptr;
            }
            if (std::strcmp(field.name, "scale") == 0)
            {
                std::memcpy(&scale, field.data, sizeof(scale));
            }
            else if (std::strcmp(field.name, "shift") == 0)
            {
                std::memcpy(&shift, field.data, sizeof(shift));
            }
            else
            {
                return nullptr;
            }
        }
        return new (std::nothrow) ScaleShift(scale, shift);
    }

private:
    std::array<PluginField, 2> mFields{PluginField{"scale", nullptr, PluginFieldType::kFLOAT32, 1},
        PluginField{"shift", nullptr, PluginFieldType::kFLOAT32, 1}};
    PluginFieldCollection mCollection{static_cast<int32_t>(mFields.size()), mFields.data()};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static ScaleShiftCreator creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
