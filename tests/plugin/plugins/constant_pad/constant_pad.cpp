// ConstantPad: fields of every kind, read by one small reader. `label` and `extra` mean nothing to the plugin: they are
// carried along, as an exporter's notes are.
#include "constant_pad_kernel.h"

#include <NvInferRuntime.h>
#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

using namespace nvinfer1;

namespace
{
constexpr int32_t kAXES = 2;

struct Settings
{
    Dims before{kAXES, {}};
    int64_t after[kAXES]{};
    double fill{0.0};
    uint16_t gain{0x3C00}; // the bits of an FP16 number; 1
    int8_t negate{0};
    std::string label;
    std::vector<unsigned char> extra;
};

// An FP16 number from its bits, on the host.
float fromHalf(uint16_t bits) noexcept
{
    uint32_t const sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
    uint32_t exponent = (bits >> 10) & 0x1FU;
    uint32_t fraction = bits & 0x3FFU;
    if (exponent == 0 && fraction != 0) // subnormal: move its first bit to the front
    {
        exponent = 1;
        while ((fraction & 0x400U) == 0)
        {
            fraction <<= 1;
            --exponent;
        }
        fraction &= 0x3FFU;
        exponent += 112;
    }
    else if (exponent == 31)
    {
        exponent = 255;
    }
    else if (exponent != 0)
    {
        exponent += 112;
    }
    uint32_t const word = sign | (exponent << 23) | (fraction << 13);
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

class FieldReader
{
public:
    explicit FieldReader(PluginFieldCollection const& fields) noexcept
        : mFields(fields)
    {
    }

    // Copies `count` elements of T. A field that is not there changes nothing; one of another form spoils the reader.
    template <typename T>
    void read(char const* name, PluginFieldType type, T* to, int32_t count) noexcept
    {
        PluginField const* field = find(name);
        if (field == nullptr)
        {
            return;
        }
        if (field->type != type || field->length != count || field->data == nullptr)
        {
            mGood = false;
            return;
        }
        std::memcpy(to, field->data, sizeof(T) * static_cast<size_t>(count));
    }

    template <typename Container>
    void readAll(char const* name, PluginFieldType type, Container& to)
    {
        PluginField const* field = find(name);
        if (field == nullptr)
        {
            return;
        }
        if (field->type != type || field->length < 0 || (field->length > 0 && field->data == nullptr))
        {
            mGood = false;
            return;
        }
        auto const* first = static_cast<typename Container::value_type const*>(field->data);
        to.assign(first, first + field->length);
    }

    bool good() const noexcept { return mGood; }

private:
    PluginField const* find(char const* name) const noexcept
    {
        auto const* end = mFields.fields + mFields.nbFields;
        auto const* found = std::find_if(mFields.fields, end,
            [name](PluginField const& f) { return f.name != nullptr && std::strcmp(f.name, name) == 0; });
        return found == end ? nullptr : found;
    }

    PluginFieldCollection const& mFields;
    bool mGood{true};
};

class ConstantPad final : public IPluginV3,
                          public IPluginV3OneCore,
                          public IPluginV3OneBuild,
                          public IPluginV3OneRuntime
{
public:
    explicit ConstantPad(Settings const& settings)
        : mSettings(settings)
    {
        mFields.reserve(7);
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

    IPluginV3* clone() noexcept override
    {
        try
        {
            return new ConstantPad(mSettings);
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

    char const* getPluginName() const noexcept override { return "ConstantPad"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
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
        int32_t nbOutputs, IExprBuilder& builder) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inputs[0].nbDims != 3)
        {
            return -1;
        }
        outputs[0] = inputs[0];
        for (int32_t axis = 0; axis < kAXES; ++axis)
        {
            auto const* border = builder.constant(mSettings.before.d[axis] + mSettings.after[axis]);
            outputs[0].d[1 + axis] = builder.operation(DimensionOperation::kSUM, *inputs[0].d[1 + axis], *border);
        }
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t, int32_t) noexcept override
    {
        return inOut[pos].desc.type == DataType::kFLOAT && inOut[pos].desc.format == TensorFormat::kLINEAR;
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

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        Dims const& in = inputDesc[0].dims;
        Dims const& out = outputDesc[0].dims;
        PadShape const shape{in.d[0], in.d[1], in.d[2], mSettings.before.d[0], mSettings.before.d[1], out.d[1], out.d[2]};
        float const factor = (mSettings.negate != 0 ? -1.0F : 1.0F) * fromHalf(mSettings.gain);
        cudaError_t const status = constantPad(static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]),
            shape, factor, static_cast<float>(mSettings.fill), stream);
        return status == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    char const* getMetadataString() noexcept override { return mSettings.label.c_str(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        Settings const& s = mSettings;
        mFields.clear(); // room for all was made in the constructor
        mFields.emplace_back("before", &s.before, PluginFieldType::kDIMS, 1);
        mFields.emplace_back("after", s.after, PluginFieldType::kINT64, kAXES);
        mFields.emplace_back("fill", &s.fill, PluginFieldType::kFLOAT64, 1);
        mFields.emplace_back("gain", &s.gain, PluginFieldType::kFLOAT16, 1);
        mFields.emplace_back("negate", &s.negate, PluginFieldType::kINT8, 1);
        mFields.emplace_back("label", s.label.c_str(), PluginFieldType::kCHAR, static_cast<int32_t>(s.label.size() + 1));
        mFields.emplace_back("extra", s.extra.data(), PluginFieldType::kUNKNOWN, static_cast<int32_t>(s.extra.size()));
        mCollection = {static_cast<int32_t>(mFields.size()), mFields.data()};
        return &mCollection;
    }

private:
    Settings const mSettings;
    std::vector<PluginField> mFields;
    PluginFieldCollection mCollection{};
};

// before (dims), after (two int64): borders of 0 or more, required. fill (float64, 0), gain (float16, 1), negate (int8, 0),
// label (char, empty), extra (unknown, empty). Other fields are ignored.
class ConstantPadCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "ConstantPad"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        try
        {
            if (fc == nullptr || fc->fields == nullptr)
            {
                return nullptr; // borders are required
            }
            Settings s;
            s.before.nbDims = -1;
            s.after[0] = -1;
            FieldReader reader{*fc};
            reader.read("before", PluginFieldType::kDIMS, &s.before, 1);
            reader.read("after", PluginFieldType::kINT64, s.after, kAXES);
            reader.read("fill", PluginFieldType::kFLOAT64, &s.fill, 1);
            reader.read("gain", PluginFieldType::kFLOAT16, &s.gain, 1);
            reader.read("negate", PluginFieldType::kINT8, &s.negate, 1);
            reader.readAll("label", PluginFieldType::kCHAR, s.label);
            reader.readAll("extra", PluginFieldType::kUNKNOWN, s.extra);
            s.label = s.label.c_str(); // a closing NUL may have been counted
            if (!reader.good() || s.before.nbDims != kAXES || !bordersFit(s))
            {
                return nullptr;
            }
            return new ConstantPad(s);
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

private:
    static bool bordersFit(Settings const& s) noexcept
    {
        constexpr int64_t kMOST = int64_t{1} << 31;
        bool fit = true;
        for (int32_t axis = 0; axis < kAXES; ++axis)
        {
            fit = fit && s.before.d[axis] >= 0 && s.before.d[axis] <= kMOST && s.after[axis] >= 0
                && s.after[axis] <= kMOST;
        }
        return fit;
    }

    PluginField mFields[7]{{"before", nullptr, PluginFieldType::kDIMS, 1}, {"after", nullptr, PluginFieldType::kINT64, kAXES},
        {"fill", nullptr, PluginFieldType::kFLOAT64, 1}, {"gain", nullptr, PluginFieldType::kFLOAT16, 1},
        {"negate", nullptr, PluginFieldType::kINT8, 1}, {"label", nullptr, PluginFieldType::kCHAR, 1},
        {"extra", nullptr, PluginFieldType::kUNKNOWN, 1}};
    PluginFieldCollection mCollection{7, mFields};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static ConstantPadCreator creator;
    static IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
