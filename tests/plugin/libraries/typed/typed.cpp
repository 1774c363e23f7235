// A V2 plugin whose attribute type_id names the one type that it takes, as many of NVIDIA's plugins have it.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "NvInferRuntime.h"
#include <cstring>

using namespace nvinfer1;

namespace
{
class Typed : public IPluginV2DynamicExt
{
public:
    explicit Typed(int32_t type) : mType(type) {}

private:
    char const* getPluginType() const noexcept override { return "Typed"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    DimsExprs getOutputDimensions(int32_t, DimsExprs const* in, int32_t, IExprBuilder&) noexcept override { return in[0]; }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    size_t getWorkspaceSize(
        PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) const noexcept override { return 0; }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*, void* const*, void*,
        cudaStream_t) noexcept override { return 0; }
    size_t getSerializationSize() const noexcept override { return sizeof(mType); }
    void serialize(void* buffer) const noexcept override { std::memcpy(buffer, &mType, sizeof(mType)); }
    void destroy() noexcept override { delete this; }
    IPluginV2DynamicExt* clone() const noexcept override { return new Typed(*this); }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }
    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const noexcept override { return types[0]; }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
        int32_t) noexcept override {}
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) noexcept override
    {
        return inOut[pos].format == TensorFormat::kLINEAR && static_cast<int32_t>(inOut[pos].type) == mType;
    }
    int32_t mType;
};

class Creator : public IPluginCreator
{
    char const* getPluginName() const noexcept override { return "Typed"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mFields; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const* fc) noexcept override
    {
        int32_t type{0};
        for (int32_t i = 0; fc != nullptr && i < fc->nbFields; ++i)
        {
            if (std::strcmp(fc->fields[i].name, "type_id") == 0)
            {
                type = *static_cast<int32_t const*>(fc->fields[i].data);
            }
        }
        return type == 0 || type == 1 ? new Typed(type) : nullptr;
    }
    IPluginV2* deserializePlugin(char const*, void const* data, size_t) noexcept override
    {
        return new Typed(*static_cast<int32_t const*>(data));
    }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginField mField{"type_id", nullptr, PluginFieldType::kINT32, 1};
    PluginFieldCollection mFields{1, &mField};
};
} // namespace

extern "C" void setLoggerFinder(ILoggerFinder*) {}

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static Creator creator;
    static IPluginCreatorInterface* const list[]{&creator};
    nbCreators = 1;
    return list;
}
