// CappedRelu:   y = min(max(x, 0), cap)   FP32. The plugin and its creator, by a colleague.
#include "capped_relu_kernel.h"

#include "common/export.h"
#include "common/fields.h"
#include "common/log.h"
#include "common/status.h"

#include <NvInferRuntime.h>
#include <new>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "FirstCappedRelu";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "course";
constexpr float kDEFAULT_CAP = 6.0F;

class CappedRelu final : public IPluginV3,
                         public IPluginV3OneCore,
                         public IPluginV3OneBuild,
                         public IPluginV3OneRuntime
{
public:
    explicit CappedRelu(float cap) noexcept
        : mCap(cap)
    {
    }

    IPluginV3* clone() noexcept override
    {
        return new (std::nothrow) CappedRelu(mCap);
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        return clone();
    }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mField = PluginField{"ceiling", &mCap, PluginFieldType::kFLOAT32, 1};
        mKept = {1, &mField};
        return &mKept;
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
        auto const* const x = static_cast<float const*>(inputs[0]);
        auto* const y = static_cast<float*>(outputs[0]);
        return kit::status(launchCappedRelu(x, y, mCap, n));
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
        if (nbInputs != 1 || nbOutputs != 1)
        {
            return kit::kFAILED;
        }
        outputs[0] = inputs[0];
        return kit::kOK;
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
        return kit::kOK;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return kit::kOK;
    }

private:
    float mCap;
    PluginField mField{};
    PluginFieldCollection mKept{};
};

class CappedReluCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }

    PluginFieldCollection const* getFieldNames() noexcept override
    {
        return &mAdvertised;
    }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* collection, TensorRTPhase) noexcept override
    {
        float cap = kDEFAULT_CAP;
        kit::Fields fields(collection);
        fields.read("cap", cap);
        if (!fields.good())
        {
            kit::logError(fields.problem());
            return nullptr;
        }
        return new (std::nothrow) CappedRelu(cap);
    }

private:
    PluginField mField{"cap", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection mAdvertised{1, &mField};
};
} // namespace

KIT_EXPORT(CappedReluCreator)
