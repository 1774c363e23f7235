// CourseRelu: the smallest plugin there is. No attributes, one input, one output of the same shape and type.
#include "relu_kernel.cuh"

#include <NvInferRuntime.h>
#include <memory>
#include <new>
#include <numeric>

namespace
{

using namespace nvinfer1;

constexpr char const* kName{"CourseRelu"};
constexpr char const* kVersion{"1"};
constexpr char const* kNamespace{"course"};
constexpr int32_t kOk{0};
constexpr int32_t kFailed{1};

class Relu : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime
{
public:
    // ---- IPluginV3
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
        return type == PluginCapabilityType::kCORE ? static_cast<IPluginV3OneCore*>(this) : nullptr;
    }

    Relu* clone() noexcept override { return new (std::nothrow) Relu{}; }

    // ---- core
    AsciiChar const* getPluginName() const noexcept override { return kName; }
    AsciiChar const* getPluginVersion() const noexcept override { return kVersion; }
    AsciiChar const* getPluginNamespace() const noexcept override { return kNamespace; }

    // ---- build
    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        bool const fits = outputTypes && inputTypes && nbOutputs == 1 && nbInputs == 1;
        if (fits)
        {
            *outputTypes = *inputTypes;
        }
        return fits ? kOk : kFailed;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* /*shapeInputs*/,
        int32_t nbShapeInputs, DimsExprs* outputs, int32_t nbOutputs, IExprBuilder& /*exprBuilder*/) noexcept override
    {
        if (nbInputs != 1 || nbShapeInputs != 0 || nbOutputs != 1)
        {
            return kFailed;
        }
        outputs[0] = inputs[0];
        return kOk;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs + nbOutputs != 2)
        {
            return false;
        }
        PluginTensorDesc const& now = inOut[pos].desc;
        bool const typeFits = now.type == DataType::kFLOAT || now.type == DataType::kHALF;
        bool const sameAsInput = pos == 0 || now.type == inOut[0].desc.type;
        return typeFits && sameAsInput && now.format == TensorFormat::kLINEAR;
    }

    int32_t configurePlugin(DynamicPluginTensorDesc const* /*in*/, int32_t nbInputs,
        DynamicPluginTensorDesc const* /*out*/, int32_t nbOutputs) noexcept override
    {
        return nbInputs == 1 && nbOutputs == 1 ? kOk : kFailed;
    }

    char const* getTimingCacheID() noexcept override { return ""; }

    // ---- runtime
    int32_t onShapeChange(PluginTensorDesc const* /*in*/, int32_t nbInputs, PluginTensorDesc const* /*out*/,
        int32_t nbOutputs) noexcept override
    {
        return nbInputs == 1 && nbOutputs == 1 ? kOk : kFailed;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* /*outputDesc*/,
        void const* const* inputs, void* const* outputs, void* /*workspace*/, cudaStream_t stream) noexcept override
    {
        Dims const& dims = inputDesc[0].dims;
        int64_t const count
            = std::accumulate(dims.d, dims.d + dims.nbDims, int64_t{1}, [](int64_t a, int64_t b) { return a * b; });
        ReluType const type = inputDesc[0].type == DataType::kHALF ? ReluType::kHalf : ReluType::kFloat;
        return relu(inputs[0], outputs[0], count, type, stream) == cudaSuccess ? kOk : kFailed;
    }

    IPluginV3* attachToContext(IPluginResourceContext* /*context*/) noexcept override { return clone(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mNoFields; }

private:
    PluginFieldCollection mNoFields{0, nullptr};
};

// Takes no fields and ignores those that it is given: an ONNX node may carry attributes for other tools.
class ReluCreator : public IPluginCreatorV3One
{
public:
    AsciiChar const* getPluginName() const noexcept override { return kName; }
    AsciiChar const* getPluginVersion() const noexcept override { return kVersion; }
    AsciiChar const* getPluginNamespace() const noexcept override { return kNamespace; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mNoFields; }

    IPluginV3* createPlugin(
        AsciiChar const* /*name*/, PluginFieldCollection const* /*fc*/, TensorRTPhase /*phase*/) noexcept override
    {
        return new (std::nothrow) Relu{};
    }

private:
    PluginFieldCollection mNoFields{0, nullptr};
};

ReluCreator gCreator;

} // namespace

extern "C" __attribute__((visibility("default"))) nvinfer1::IPluginCreatorInterface* const* getCreators(
    int32_t& nbCreators)
{
    static nvinfer1::IPluginCreatorInterface* list[]{&gCreator};
    nbCreators = 1;
    return list;
}

extern "C" __attribute__((visibility("default"))) void setLoggerFinder(nvinfer1::ILoggerFinder* /*finder*/) {}
