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

    // YOUR TURN 1: what may be given. Advertise "scale" and "shift", one float32 each, with no data: in an array that
    // lives as long as the creator does, a member. The ONNX parser passes on what stands here and drops all else.
    PluginFieldCollection const* getFieldNames() noexcept override
    {
        return &mAdvertised;
    }

    // YOUR TURN 2: a plugin of what is given. Find each field by its name; copy its value; refuse, with a null pointer,
    // one that is not what you advertise. In the build phase (kBUILD) a field that is missing has its default, scale 1
    // and shift 0. At run time (kRUNTIME) the fields come out of a plan, and one that is missing is refused.
    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase phase) noexcept override
    {
        return nullptr; // makeScaleShift(scale, shift) makes one
    }

private:
    PluginFieldCollection mAdvertised{0, nullptr}; // YOUR TURN 1: two fields, not none
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

    // YOUR TURN 3: the part of this object that answers questions of this kind, or null for a kind that it has not.
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override
    {
        return nullptr;
    }

    // YOUR TURN 4: what a plan must keep, under the names that createPlugin() reads. The list, and what it points to,
    // must still be there when this method has returned.
    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        return nullptr;
    }

    // YOUR TURN 5: another object with the same attributes; and the same for an execution context.
    IPluginV3* clone() noexcept override
    {
        return nullptr;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        return nullptr;
    }
    // END

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
    // YOUR TURN 4: members for what getFieldsToSerialize() returns
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
