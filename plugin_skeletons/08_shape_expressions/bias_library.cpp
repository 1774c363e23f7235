// Supplied: all of RelativePositionBias that has nothing to do with shapes. There is nothing to change here.
#include "relative_position_bias.h"

#include "common/export.h"
#include "common/fields.h"
#include "common/log.h"
#include "common/status.h"

#include <new>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "RelativePositionBias";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "";

class RelativePositionBiasCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mAdvertised; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        BiasParameters p;
        kit::Fields fields(fc);
        fields.read("bidirectional", p.bidirectional);
        fields.read("max_distance", p.maxDistance);
        fields.read("pad_to", p.padTo);
        if (p.bidirectional != 0 && p.bidirectional != 1)
        {
            fields.refuse("bidirectional", "it is neither 0 nor 1");
        }
        if (p.maxDistance < 2)
        {
            fields.refuse("max_distance", "it is less than 2");
        }
        if (p.padTo < 1)
        {
            fields.refuse("pad_to", "it is less than 1");
        }
        if (!fields.done())
        {
            kit::logError(fields.problem());
            return nullptr;
        }
        return new (std::nothrow) RelativePositionBias(p);
    }

private:
    PluginField mFields[3]{{"bidirectional", nullptr, PluginFieldType::kINT32, 1},
        {"max_distance", nullptr, PluginFieldType::kINT32, 1}, {"pad_to", nullptr, PluginFieldType::kINT32, 1}};
    PluginFieldCollection mAdvertised{3, mFields};
};
} // namespace

IPluginCapability* RelativePositionBias::getCapabilityInterface(PluginCapabilityType type) noexcept
{
    switch (type)
    {
    case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
    case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
    case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
    }
    return nullptr;
}

IPluginV3* RelativePositionBias::clone() noexcept
{
    return new (std::nothrow) RelativePositionBias(*this);
}

IPluginV3* RelativePositionBias::attachToContext(IPluginResourceContext*) noexcept
{
    return clone();
}

PluginFieldCollection const* RelativePositionBias::getFieldsToSerialize() noexcept
{
    mFields[0] = {"bidirectional", &mParameters.bidirectional, PluginFieldType::kINT32, 1};
    mFields[1] = {"max_distance", &mParameters.maxDistance, PluginFieldType::kINT32, 1};
    mFields[2] = {"pad_to", &mParameters.padTo, PluginFieldType::kINT32, 1};
    mKept = {3, mFields};
    return &mKept;
}

char const* RelativePositionBias::getPluginName() const noexcept { return kNAME; }
char const* RelativePositionBias::getPluginVersion() const noexcept { return kVERSION; }
char const* RelativePositionBias::getPluginNamespace() const noexcept { return kNAMESPACE; }
int32_t RelativePositionBias::getNbOutputs() const noexcept { return 1; }

int32_t RelativePositionBias::getOutputDataTypes(
    DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept
{
    if (nbInputs != kINPUTS || nbOutputs != 1)
    {
        return kit::kFAILED;
    }
    outputTypes[0] = inputTypes[kTABLE];
    return kit::kOK;
}

bool RelativePositionBias::supportsFormatCombination(
    int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept
{
    if (nbInputs != kINPUTS || nbOutputs != 1 || inOut[pos].desc.format != TensorFormat::kLINEAR)
    {
        return false;
    }
    DataType const type = inOut[pos].desc.type;
    return pos == 0 ? type == DataType::kFLOAT || type == DataType::kHALF : type == inOut[0].desc.type;
}

KIT_EXPORT(RelativePositionBiasCreator)
