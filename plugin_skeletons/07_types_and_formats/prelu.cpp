// CoursePRelu:   y = x where x >= 0, slope[c] * x elsewhere   on (N, C, ...), FP32, FP16 or BF16
//
// One attribute, `slope`: a list of FP32 numbers, one for each channel or one for all. What must hold stands in the
// contract, in the chapter. The kernel is in prelu_kernel.cu, the kit in common/.
#include "common/export.h"
#include "common/fields.h"
#include "common/log.h"
#include "common/status.h"
#include "device_slopes.h"
#include "prelu_kernel.h"

#include <NvInferRuntime.h>
#include <new>
#include <utility>
#include <vector>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "CoursePRelu"; // the ONNX parser has an importer of its own for "PRelu"
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "";

// Given, at the end of the file: a new plugin. May throw std::bad_alloc.
IPluginV3* makePRelu(std::vector<float> slope);

class PReluCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }

    // YOUR TURN 1: advertise what createPlugin() reads, and read what is advertised. `slope` has no default. A field
    // that is missing, empty, of another type, or that nobody knows, is refused: null, with the reason in TensorRT's
    // log. common/fields.h does nearly all of it; its first lines show how.
    PluginFieldCollection const* getFieldNames() noexcept override { return &mAdvertised; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* collection, TensorRTPhase) noexcept override
    {
        return kit::guarded<IPluginV3*>(nullptr, [collection]() -> IPluginV3* {
            std::vector<float> slope;
            kit::Fields fields(collection);
            return makePRelu(std::move(slope));
        });
    }

private:
    PluginFieldCollection mAdvertised{0, nullptr}; // YOUR TURN 1: one field, not none
};

class PRelu final : public IPluginV3,
                    public IPluginV3OneCore,
                    public IPluginV3OneBuild,
                    public IPluginV3OneRuntime
{
public:
    explicit PRelu(std::vector<float> slope)
        : mSlope(std::move(slope))
    {
    }

    // YOUR TURN 2: what this plugin takes. Position 0 is x, position 1 is y; what stands behind `pos` is not known yet.
    // Say yes to what the kernel reads and writes as it lies in memory, and to nothing else.
    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        return false;
    }

    // YOUR TURN 3: run<T>(x, y, extents, stream), below, launches the kernel for T. Choose T by the type that TensorRT
    // tells with this call, and return a status that is not 0 for a type that you do not know.
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        [[maybe_unused]] PReluExtents const extents = extentsOf(inputDesc[0].dims);
        return kit::kFAILED;
    }

    // All that follows in this class is given.
    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1)
        {
            return kit::kFAILED;
        }
        outputTypes[0] = inputTypes[0];
        return kit::kOK;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inputs[0].nbDims < 2)
        {
            return kit::kFAILED;
        }
        outputs[0] = inputs[0];
        return kit::kOK;
    }

    // One slope fits every tensor; a list fits one that has as many channels.
    int32_t configurePlugin(
        DynamicPluginTensorDesc const* in, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return mSlope.size() == 1 || in[0].max.d[1] == static_cast<int64_t>(mSlope.size()) ? kit::kOK : kit::kFAILED;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return kit::status(mOnDevice.upload(mSlope)); // does nothing where attachToContext() has done it
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        PRelu* const attached = copy();
        if (attached != nullptr && attached->mOnDevice.upload(attached->mSlope) != cudaSuccess)
        {
            delete attached;
            return nullptr;
        }
        return attached;
    }

    IPluginV3* clone() noexcept override { return copy(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mField = {"slope", mSlope.data(), PluginFieldType::kFLOAT32, static_cast<int32_t>(mSlope.size())};
        mKept = {1, &mField};
        return &mKept;
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

    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
    int32_t getNbOutputs() const noexcept override { return 1; }

private:
    // Launches the kernel for T, as which both tensors are read and written.
    template <typename T>
    int32_t run(void const* x, void* y, PReluExtents extents, cudaStream_t stream) const noexcept
    {
        return kit::status(prelu(static_cast<T const*>(x), static_cast<T*>(y), extents, mOnDevice.data(),
            static_cast<int64_t>(mSlope.size()), stream));
    }

    static PReluExtents extentsOf(Dims const& dims) noexcept
    {
        PReluExtents extents{dims.d[0] * dims.d[1], dims.d[1], 1};
        for (int32_t i = 2; i < dims.nbDims; ++i)
        {
            extents.n *= dims.d[i];
            extents.inner *= dims.d[i];
        }
        return extents;
    }

    PRelu* copy() const noexcept
    {
        return kit::guarded<PRelu*>(nullptr, [this] { return new PRelu(mSlope); });
    }

    std::vector<float> mSlope;
    DeviceSlopes mOnDevice;
    PluginField mField{};
    PluginFieldCollection mKept{};
};

IPluginV3* makePRelu(std::vector<float> slope)
{
    return new PRelu(std::move(slope));
}
} // namespace

KIT_EXPORT(PReluCreator)
