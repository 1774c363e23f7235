// ScaleShift:   y = scale * x + shift   on a tensor of any shape, FP32 or FP16
//
// A creator and a plugin (IPluginV3), in the order in which TensorRT meets them. The kernel is supplied, in
// scale_shift_kernel.cu. What must hold stands in the contract, in the chapter.
#include "scale_shift_kernel.h"

#include <NvInferRuntime.h>
#include <cstring>
#include <new>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "ScaleShift";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "";

// Given, at the end of the file: a new plugin with these attributes, or null where there is no memory.
[[maybe_unused]] IPluginV3* makeScaleShift(float scale, float shift) noexcept;

// There is one creator in a process. It outlives every call, and every plugin that it makes.
class ScaleShiftCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }

    PluginFieldCollection const* getFieldNames() noexcept override
    {
        return &mAdvertised;
    }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase phase) noexcept override
    {
        float scale = 1.0F;
        float shift = 0.0F;
        bool hasScale = false;
        bool hasShift = false;
        int32_t const count = fc == nullptr ? 0 : fc->nbFields;
        for (int32_t i = 0; i < count; ++i)
        {
            PluginField const& field = fc->fields[i];
            bool const isScale = std::strcmp(field.name, "scale") == 0;
            bool const isShift = std::strcmp(field.name, "shift") == 0;
            if (!isScale && !isShift)
            {
                continue; // no attribute of ours
            }
            if (!read(field, isScale ? scale : shift))
            {
                return nullptr;
            }
            hasScale = hasScale || isScale;
            hasShift = hasShift || isShift;
        }
        if (phase == TensorRTPhase::kRUNTIME && !(hasScale && hasShift))
        {
            return nullptr;
        }
        return makeScaleShift(scale, shift);
    }

private:
    // One float32, copied out of memory that is gone when createPlugin() returns.
    static bool read(PluginField const& field, float& value) noexcept
    {
        if (field.data == nullptr || field.type != PluginFieldType::kFLOAT32 || field.length != 1)
        {
            return false;
        }
        std::memcpy(&value, field.data, sizeof(value));
        return true;
    }

    PluginField mFields[2]{{"scale", nullptr, PluginFieldType::kFLOAT32, 1},
        {"shift", nullptr, PluginFieldType::kFLOAT32, 1}};
    PluginFieldCollection mAdvertised{2, mFields};
};

// A network's layer, an engine and each of its contexts have an object of their own, and a builder makes clones.
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

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mFields[0] = PluginField{"scale", &mScale, PluginFieldType::kFLOAT32, 1};
        mFields[1] = PluginField{"shift", &mShift, PluginFieldType::kFLOAT32, 1};
        mKept = {2, mFields};
        return &mKept;
    }

    IPluginV3* clone() noexcept override
    {
        return makeScaleShift(mScale, mShift);
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        return clone();
    }

    // All that follows is given: who the plugin is, and what it answers while an engine is built and run.
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
        Dims const& dims = inputDesc[0].dims;
        int64_t n = 1;
        for (int32_t i = 0; i < dims.nbDims; ++i)
        {
            n *= dims.d[i];
        }
        auto const launch = inputDesc[0].type == DataType::kHALF ? scaleShiftHalf : scaleShiftFloat;
        return launch(inputs[0], outputs[0], n, mScale, mShift, stream) == cudaSuccess ? 0 : -1;
    }

private:
    float mScale;
    float mShift;
    PluginField mFields[2]{};
    PluginFieldCollection mKept{};
};

IPluginV3* makeScaleShift(float scale, float shift) noexcept
{
    return new (std::nothrow) ScaleShift(scale, shift);
}
} // namespace

// How TensorRT finds the creators of a library, and how it gives it a logger: chapter 5 is about that.
extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static ScaleShiftCreator creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
