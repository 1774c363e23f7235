// PadRows:   x [N, L]  ->  y [N, L rounded up to a multiple of 4], zeros at the end of each row. FP32, no attributes.
//
// The worked example of chapter 8: as small as a plugin with a shape of its own can be. It copies x into workspace first,
// which nobody needs, so that there is a workspace to ask for.
#include "pad_rows_kernel.h"

#include <NvInferRuntime.h>
#include <new>

using namespace nvinfer1;

namespace
{
constexpr int64_t kPART = 4;

class PadRows final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime
{
public:
    // What an output's shape is, of extents that may be unknown.
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
        IExprBuilder& builder) noexcept override
    {
        IDimensionExpr const& part = *builder.constant(kPART);
        IDimensionExpr const* parts = builder.operation(DimensionOperation::kCEIL_DIV, *inputs[0].d[1], part);
        outputs[0].nbDims = 2;
        outputs[0].d[0] = inputs[0].d[0];
        outputs[0].d[1] = builder.operation(DimensionOperation::kPROD, *parts, part);
        return 0;
    }

    // In the build: bounds, and -1 for what is unknown. This plugin has nothing to refuse.
    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    // In the build: bytes that are enough for every run of the profile.
    size_t getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t, DynamicPluginTensorDesc const*,
        int32_t) const noexcept override
    {
        return sizeof(float) * static_cast<size_t>(inputs[0].max.d[0] * inputs[0].max.d[1]);
    }

    // Before a run: its extents.
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return 0; // nothing to prepare
    }

    // The run: its extents, once more.
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc, void const* const* inputs,
        void* const* outputs, void* workspace, cudaStream_t stream) noexcept override
    {
        int64_t const rows = inputDesc[0].dims.d[0];
        int64_t const length = inputDesc[0].dims.d[1];
        int64_t const padded = outputDesc[0].dims.d[1];
        if (rows * padded == 0)
        {
            return 0;
        }
        auto* const copy = static_cast<float*>(workspace);
        size_t const bytes = sizeof(float) * static_cast<size_t>(rows * length);
        cudaError_t const copied = cudaMemcpyAsync(copy, inputs[0], bytes, cudaMemcpyDeviceToDevice, stream);
        return copied != cudaSuccess
            ? static_cast<int32_t>(copied)
            : static_cast<int32_t>(padRows(copy, static_cast<float*>(outputs[0]), rows, length, padded, stream));
    }

    // What follows is as in chapter 4.
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
    IPluginV3* clone() noexcept override { return new (std::nothrow) PadRows(*this); }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mNothing; }

    char const* getPluginName() const noexcept override { return "PadRows"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getOutputDataTypes(DataType* outputTypes, int32_t, DataType const* inputTypes, int32_t) const noexcept override
    {
        outputTypes[0] = inputTypes[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t, int32_t) noexcept override
    {
        return inOut[pos].desc.type == DataType::kFLOAT && inOut[pos].desc.format == TensorFormat::kLINEAR;
    }

private:
    int64_t mLength{0}; // not used: the page makes mistakes with both
    static inline int64_t sLength{0};
    PluginFieldCollection mNothing{};
};

class PadRowsCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "PadRows"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mNothing; }
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept override
    {
        return new (std::nothrow) PadRows;
    }

private:
    PluginFieldCollection mNothing{};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static PadRowsCreator creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
