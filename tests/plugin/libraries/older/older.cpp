// A plugin of an interface older than IPluginV2DynamicExt, as many YOLO layers still are: it loads, and is not driven.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "NvInferRuntime.h"

using namespace nvinfer1;

namespace
{
class Older : public IPluginV2IOExt
{
    char const* getPluginType() const noexcept override { return "Older"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    Dims getOutputDimensions(int32_t, Dims const* inputs, int32_t) noexcept override { return inputs[0]; }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    size_t getWorkspaceSize(int32_t) const noexcept override { return 0; }
    int32_t enqueue(int32_t, void const* const*, void* const*, void*, cudaStream_t) noexcept override { return 0; }
    size_t getSerializationSize() const noexcept override { return 0; }
    void serialize(void*) const noexcept override {}
    void destroy() noexcept override { delete this; }
    IPluginV2IOExt* clone() const noexcept override { return new Older; }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }
    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const noexcept override { return types[0]; }
    bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const noexcept override { return false; }
    bool canBroadcastInputAcrossBatch(int32_t) const noexcept override { return false; }
    void configurePlugin(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override {}
    bool supportsFormatCombination(int32_t, PluginTensorDesc const*, int32_t, int32_t) const noexcept override
    {
        return true;
    }
};

class Creator : public IPluginCreator
{
    char const* getPluginName() const noexcept override { return "Older"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mFields; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const*) noexcept override { return new Older; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override { return new Older; }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection mFields{};
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
