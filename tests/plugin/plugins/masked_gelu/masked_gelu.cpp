// MaskedGelu(x, mask): two inputs of different types, one text attribute.
#include "masked_gelu_kernel.h"

#include <NvInferRuntime.h>
#include <cstring>
#include <new>
#include <optional>
#include <string>

namespace course
{

using namespace nvinfer1;

namespace
{

constexpr char plugin_name[] = "MaskedGelu";
constexpr char plugin_version[] = "1";
constexpr char plugin_namespace[] = "course";
constexpr char form_field[] = "approximate";

char const* text_of(GeluForm form) noexcept { return form == GeluForm::tanh ? "tanh" : "none"; }

// The text of a kCHAR field may or may not count a closing NUL; both occur.
std::optional<GeluForm> form_of(PluginField const& field) noexcept
{
    if (field.type != PluginFieldType::kCHAR || field.data == nullptr || field.length < 1 || field.length > 16)
        return std::nullopt;
    auto const* text = static_cast<char const*>(field.data);
    std::size_t const length = strnlen(text, static_cast<std::size_t>(field.length));
    for (GeluForm form : {GeluForm::erf, GeluForm::tanh})
        if (length == std::strlen(text_of(form)) && std::memcmp(text, text_of(form), length) == 0)
            return form;
    return std::nullopt;
}

std::int64_t volume(Dims const& dims) noexcept
{
    std::int64_t result = 1;
    for (auto i = 0; i < dims.nbDims; ++i)
        result *= dims.d[i];
    return result;
}

// What this plugin is to the network: names, types, shapes, formats.
class MaskedGeluDescription : public IPluginV3OneCore, public IPluginV3OneBuild
{
public:
    AsciiChar const* getPluginName() const noexcept override { return plugin_name; }
    AsciiChar const* getPluginVersion() const noexcept override { return plugin_version; }
    AsciiChar const* getPluginNamespace() const noexcept override { return plugin_namespace; }

    std::int32_t getNbOutputs() const noexcept override { return 1; }

    std::int32_t getOutputDataTypes(DataType* outputs, std::int32_t output_count, DataType const* inputs,
        std::int32_t input_count) const noexcept override
    {
        if (input_count != 2 || output_count != 1)
            return 1;
        outputs[0] = inputs[0];
        return 0;
    }

    std::int32_t getOutputShapes(DimsExprs const* inputs, std::int32_t input_count, DimsExprs const*, std::int32_t,
        DimsExprs* outputs, std::int32_t output_count, IExprBuilder&) noexcept override
    {
        if (input_count != 2 || output_count != 1 || inputs[0].nbDims != inputs[1].nbDims)
            return 1;
        outputs[0] = inputs[0];
        return 0;
    }

    bool supportsFormatCombination(std::int32_t pos, DynamicPluginTensorDesc const* in_out, std::int32_t input_count,
        std::int32_t output_count) noexcept override
    {
        if (input_count != 2 || output_count != 1 || in_out[pos].desc.format != TensorFormat::kLINEAR)
            return false;
        DataType const type = in_out[pos].desc.type;
        switch (pos)
        {
        case 0: return type == DataType::kFLOAT || type == DataType::kHALF;
        case 1: return type == DataType::kINT32 || type == DataType::kINT8;
        case 2: return type == in_out[0].desc.type;
        default: return false;
        }
    }

    std::int32_t configurePlugin(DynamicPluginTensorDesc const*, std::int32_t input_count,
        DynamicPluginTensorDesc const*, std::int32_t output_count) noexcept override
    {
        return input_count == 2 && output_count == 1 ? 0 : 1;
    }
};

class MaskedGelu final : public IPluginV3, public MaskedGeluDescription, public IPluginV3OneRuntime
{
public:
    explicit MaskedGelu(GeluForm form) noexcept
        : form_{form}
        , timing_id_{form == GeluForm::tanh ? "form=tanh" : "form=erf"}
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

    IPluginV3* clone() noexcept override { return new (std::nothrow) MaskedGelu{form_}; }

    char const* getTimingCacheID() noexcept override { return timing_id_; }
    char const* getMetadataString() noexcept override { return timing_id_; }

    std::int32_t onShapeChange(PluginTensorDesc const* inputs, std::int32_t input_count, PluginTensorDesc const*,
        std::int32_t output_count) noexcept override
    {
        bool const fits = input_count == 2 && output_count == 1;
        return fits && volume(inputs[0].dims) == volume(inputs[1].dims) ? 0 : 1;
    }

    std::int32_t enqueue(PluginTensorDesc const* input_desc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        MaskedGeluCall call;
        call.x = inputs[0];
        call.mask = inputs[1];
        call.y = outputs[0];
        call.count = volume(input_desc[0].dims);
        call.x_type = input_desc[0].type;
        call.mask_type = input_desc[1].type;
        call.form = form_;
        return masked_gelu(call, stream) == cudaSuccess ? 0 : 1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        char const* text = text_of(form_); // a string literal: it outlives everything
        field_ = PluginField{form_field, text, PluginFieldType::kCHAR, static_cast<std::int32_t>(std::strlen(text) + 1)};
        collection_ = PluginFieldCollection{1, &field_};
        return &collection_;
    }

private:
    GeluForm form_;
    char const* timing_id_;
    PluginField field_;
    PluginFieldCollection collection_;
};

// approximate: "none" (erf, the default) or "tanh". Other texts, other types and null data are refused, other fields too.
class MaskedGeluCreator final : public IPluginCreatorV3One
{
public:
    AsciiChar const* getPluginName() const noexcept override { return plugin_name; }
    AsciiChar const* getPluginVersion() const noexcept override { return plugin_version; }
    AsciiChar const* getPluginNamespace() const noexcept override { return plugin_namespace; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &collection_; }

    IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const* fields, TensorRTPhase) noexcept override
    {
        GeluForm form = GeluForm::erf;
        std::int32_t const count = fields == nullptr || fields->fields == nullptr ? 0 : fields->nbFields;
        for (std::int32_t i = 0; i < count; ++i)
        {
            PluginField const& field = fields->fields[i];
            if (field.name == nullptr || std::strcmp(field.name, form_field) != 0)
                return nullptr;
            auto const given = form_of(field);
            if (!given)
                return nullptr;
            form = *given;
        }
        return new (std::nothrow) MaskedGelu{form};
    }

private:
    PluginField field_{form_field, nullptr, PluginFieldType::kCHAR, 1};
    PluginFieldCollection collection_{1, &field_};
};

MaskedGeluCreator the_creator;
IPluginCreatorInterface* the_creators[] = {&the_creator};

} // namespace
} // namespace course

extern "C" nvinfer1::IPluginCreatorInterface* const* getCreators(std::int32_t& count)
{
    count = 1;
    return course::the_creators;
}

extern "C" void setLoggerFinder(nvinfer1::ILoggerFinder*) {}
