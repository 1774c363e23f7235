// LeakyRelu:   y = alpha * x where x < 0, else x   FP32. The plugin and its creator.
//
// What does not concern alpha is given. One number has to come from whoever creates the plugin to the kernel, by way of
// copies, a plan and another process.
#include "leaky_relu_kernel.h"

#include "common/export.h"
#include "common/fields.h"
#include "common/log.h"
#include "common/status.h"

#include <NvInferRuntime.h>
#include <new>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "FirstLeakyRelu";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "course";
constexpr float kDEFAULT_ALPHA = 0.01F;

class LeakyRelu final : public IPluginV3,
                        public IPluginV3OneCore,
                        public IPluginV3OneBuild,
                        public IPluginV3OneRuntime
{
public:
    explicit LeakyRelu(float alpha) noexcept
    {
        // YOUR TURN 4: keep it.
    }

    // YOUR TURN 5: copies with the same alpha; and what a plan keeps: alpha, under the name that createPlugin() reads. The
    // list and what it points to live in this object.
    IPluginV3* clone() noexcept override
    {
        return nullptr;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        return nullptr;
    }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        return nullptr;
    }

    // YOUR TURN 6: as in your Relu, with alpha.
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        return kit::kFAILED;
    }

    // END

    // All that follows in this class is given.
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
        PluginTensorDesc const& asked = inOut[pos].desc;
        return nbInputs == 1 && nbOutputs == 1 && asked.type == DataType::kFLOAT
            && asked.format == TensorFormat::kLINEAR;
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
    // YOUR TURN 4, 5: alpha, and the list of fields that a plan keeps
};

class LeakyReluCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }

    // YOUR TURN 3: advertise "alpha", one float32 with no data. Read it with kit::Fields (see common/fields.h): in the
    // phase kBUILD it may be missing and is kDEFAULT_ALPHA then; in the phase kRUNTIME it is required. Where something is
    // wrong, log what, and return null.
    PluginFieldCollection const* getFieldNames() noexcept override
    {
        return &mAdvertised;
    }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* collection, TensorRTPhase phase) noexcept override
    {
        return nullptr; // new (std::nothrow) LeakyRelu(alpha)
    }

private:
    PluginFieldCollection mAdvertised{0, nullptr}; // YOUR TURN 3: one field, not none
    // END
};
} // namespace

KIT_EXPORT(LeakyReluCreator)
