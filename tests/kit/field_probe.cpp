// Reads one field of each kind that the kit knows and says in the log what it got, or what was wrong. Makes no plugin.
#include "common/export.h"
#include "common/fields.h"
#include "common/log.h"
#include "common/status.h"

using namespace nvinfer1;

class Probe final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "Probe"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mNone; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* collection, TensorRTPhase phase) noexcept override
    {
        return kit::guarded<IPluginV3*>(nullptr, [&] { return read(collection, phase == TensorRTPhase::kRUNTIME); });
    }

private:
    static IPluginV3* read(PluginFieldCollection const* collection, bool require)
    {
        float number = 0.5F;
        int32_t whole = 7;
        std::array<float, 3> three{1.0F, 2.0F, 3.0F};
        std::array<int32_t, 2> two{4, 5};
        std::vector<float> numbers{9.0F};
        std::vector<int32_t> wholes;
        std::string text = "none";
        kit::Fields fields(collection);
        fields.read("number", number);
        fields.read("whole", whole);
        fields.read("three", three);
        fields.read("two", two);
        fields.read("numbers", numbers);
        fields.read("wholes", wholes);
        fields.read("text", text);
        if (require)
        {
            fields.require("must", whole);
        }
        std::string said = "number=" + std::to_string(number) + " whole=" + std::to_string(whole);
        said += " three=" + std::to_string(three[0]) + "," + std::to_string(three[2]) + " two=" + std::to_string(two[1]);
        said += " wholes=" + std::to_string(wholes.size()) + " numbers=" + std::to_string(numbers.size());
        for (float each : numbers)
        {
            said += ":" + std::to_string(each);
        }
        kit::log(ILogger::Severity::kINFO, (said + " text=[" + text + "]").c_str());
        if (!fields.done())
        {
            kit::logError(fields.problem());
        }
        if (whole == 1234)
        {
            throw std::bad_alloc();
        }
        return nullptr;
    }

    PluginFieldCollection mNone{0, nullptr};
};

KIT_EXPORT(Probe)
