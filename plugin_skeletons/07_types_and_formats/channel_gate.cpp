// ChannelGate:   y[n, c, h, w] = gate[n, c] * x[n, c, h, w]
//
// x and y: FP32, FP16 or BF16, linear; FP16 also in kHWC8, for which there is a path of its own. gate: FP32, linear.
// Four defects are in this file; the kernel (channel_gate_kernel.cu) has none.
#include "channel_gate_kernel.h"
#include "common/export.h"
#include "common/status.h"

#include <NvInferRuntime.h>
#include <new>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "ChannelGate";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "";

bool isFloat(DataType type) noexcept
{
    return type == DataType::kFLOAT || type == DataType::kHALF || type == DataType::kBF16;
}

class ChannelGate final : public IPluginV3,
                          public IPluginV3OneCore,
                          public IPluginV3OneBuild,
                          public IPluginV3OneRuntime
{
public:
    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 2 || nbOutputs != 1)
        {
            return false;
        }
        DataType const type = inOut[pos].desc.type;
        TensorFormat const format = inOut[pos].desc.format;
        switch (pos)
        {
        case 0: // x
            return isFloat(type) && (format == TensorFormat::kLINEAR || type == DataType::kHALF);
        case 1: // gate
            return format == TensorFormat::kLINEAR && isFloat(type);
        case 2: // y
            return format == inOut[0].desc.format && isFloat(type);
        default: return false;
        }
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        Dims const& dims = inputDesc[0].dims;
        bool const channelsLast = inputDesc[0].format != TensorFormat::kLINEAR;
        int64_t const stored = channelsLast ? (dims.d[1] + 7) / 8 * 8 : dims.d[1];
        GateLayout const layout{dims.d[0], dims.d[1], stored, dims.d[2] * dims.d[3], channelsLast};
        if (inputDesc[0].type == DataType::kFLOAT)
        {
            return run<float>(inputs, outputs, layout, stream);
        }
        return run<__half>(inputs, outputs, layout, stream);
    }

    // There is no defect below.
    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 2 || nbOutputs != 1)
        {
            return kit::kFAILED;
        }
        outputTypes[0] = inputTypes[0];
        return kit::kOK;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        if (nbInputs != 2 || nbOutputs != 1 || inputs[0].nbDims != 4 || inputs[1].nbDims != 2)
        {
            return kit::kFAILED;
        }
        outputs[0] = inputs[0];
        return kit::kOK;
    }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return kit::kOK;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return kit::kOK;
    }

    IPluginV3* clone() noexcept override { return new (std::nothrow) ChannelGate(); }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mKept; }

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
    template <typename T>
    static int32_t run(
        void const* const* inputs, void* const* outputs, GateLayout layout, cudaStream_t stream) noexcept
    {
        return kit::status(channelGate(static_cast<T const*>(inputs[0]), static_cast<float const*>(inputs[1]),
            static_cast<T*>(outputs[0]), layout, stream));
    }

    PluginFieldCollection mKept{0, nullptr};
};

class ChannelGateCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mAdvertised; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept override
    {
        return new (std::nothrow) ChannelGate();
    }

private:
    PluginFieldCollection mAdvertised{0, nullptr};
};
} // namespace

KIT_EXPORT(ChannelGateCreator)
