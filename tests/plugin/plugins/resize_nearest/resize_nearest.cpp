// ResizeNearest(x, size): `size` is a shape input. TensorRT hands its values to getOutputShapes as expressions and never
// to enqueue, which reads the extents that came of them from the output's descriptor.
#include "resize_nearest_kernel.h"

#include <NvInferRuntime.h>
#include <new>

namespace resize
{
using namespace nvinfer1;

constexpr AsciiChar const* kName = "ResizeNearest";
constexpr AsciiChar const* kVersion = "1";

class Core : public IPluginV3OneCore
{
public:
    AsciiChar const* getPluginName() const noexcept override { return kName; }
    AsciiChar const* getPluginVersion() const noexcept override { return kVersion; }
    AsciiChar const* getPluginNamespace() const noexcept override { return ""; }
};

class Build : public IPluginV3OneBuild
{
public:
    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs < 1 || nbOutputs != 1)
        {
            return -1;
        }
        outputTypes[0] = inputTypes[0];
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* shapeInputs,
        int32_t nbShapeInputs, DimsExprs* outputs, int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        bool const fits = nbInputs == 1 && nbShapeInputs == 1 && nbOutputs == 1 && inputs[0].nbDims == 4
            && shapeInputs[0].nbDims == 2;
        if (!fits)
        {
            return -1;
        }
        outputs[0] = inputs[0];
        outputs[0].d[2] = shapeInputs[0].d[0];
        outputs[0].d[3] = shapeInputs[0].d[1];
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inOut[pos].desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        switch (inOut[pos].desc.type)
        {
        case DataType::kFLOAT:
        case DataType::kHALF:
        case DataType::kINT8: return pos == 0 || inOut[pos].desc.type == inOut[0].desc.type;
        default: return false;
        }
    }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }
};

// The three capabilities are objects of their own here, members of the plugin: a plugin need not inherit them all.
class Plugin final : public IPluginV3
{
public:
    Plugin() noexcept
        : mRuntime(*this)
    {
    }
    Plugin(Plugin const&) = delete;
    Plugin& operator=(Plugin const&) = delete;

    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override
    {
        switch (type)
        {
        case PluginCapabilityType::kCORE: return &mCore;
        case PluginCapabilityType::kBUILD: return &mBuild;
        case PluginCapabilityType::kRUNTIME: return &mRuntime;
        }
        return nullptr;
    }

    IPluginV3* clone() noexcept override { return new (std::nothrow) Plugin(); }

private:
    class Runtime final : public IPluginV3OneRuntime
    {
    public:
        explicit Runtime(Plugin& owner) noexcept
            : mOwner(owner)
        {
        }

        int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const* out,
            int32_t nbOutputs) noexcept override
        {
            bool const fits = nbInputs == 1 && nbOutputs == 1 && in[0].dims.nbDims == 4 && out[0].dims.nbDims == 4;
            return fits ? 0 : -1;
        }

        int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
            void const* const* inputs, void* const* outputs, void*, cudaStream_t stream) noexcept override
        {
            Dims const& in = inputDesc[0].dims;
            Dims const& out = outputDesc[0].dims;
            ResizeShape const shape{in.d[0] * in.d[1], in.d[2], in.d[3], out.d[2], out.d[3]};
            DataType const type = inputDesc[0].type;
            int32_t const bytes = type == DataType::kFLOAT ? 4 : type == DataType::kHALF ? 2 : 1;
            return resizeNearest(inputs[0], outputs[0], bytes, shape, stream) == cudaSuccess ? 0 : -1;
        }

        IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return mOwner.clone(); }
        PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mNone; }

    private:
        Plugin& mOwner;
        PluginFieldCollection mNone{};
    };

    Core mCore;
    Build mBuild;
    Runtime mRuntime;
};

class Creator final : public IPluginCreatorV3One
{
public:
    AsciiChar const* getPluginName() const noexcept override { return kName; }
    AsciiChar const* getPluginVersion() const noexcept override { return kVersion; }
    AsciiChar const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mNone; }

    // No fields are read, so all are ignored.
    IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const*, TensorRTPhase) noexcept override
    {
        return new (std::nothrow) Plugin();
    }

private:
    PluginFieldCollection mNone{};
};
} // namespace resize

extern "C" nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static resize::Creator creator;
    static nvinfer1::IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(nvinfer1::ILoggerFinder*) {}
