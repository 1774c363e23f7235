// RowMoments(x) -> mean, mean_square: two reductions that know nothing of each other run side by side. Every context has
// a side stream of its own, made when it is attached or first told its shapes.
#include "row_moments_kernel.h"
#include "side_stream.h"

#include <NvInferRuntime.h>
#include <memory>
#include <new>

namespace
{
namespace trt = nvinfer1;

class RowMoments final : public trt::IPluginV3,
                         public trt::IPluginV3OneCore,
                         public trt::IPluginV3OneBuild,
                         public trt::IPluginV3OneRuntime
{
public:
    trt::IPluginCapability* getCapabilityInterface(trt::PluginCapabilityType type) noexcept override
    {
        switch (type)
        {
        case trt::PluginCapabilityType::kCORE: return static_cast<trt::IPluginV3OneCore*>(this);
        case trt::PluginCapabilityType::kBUILD: return static_cast<trt::IPluginV3OneBuild*>(this);
        case trt::PluginCapabilityType::kRUNTIME: return static_cast<trt::IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }

    RowMoments* clone() noexcept override { return new (std::nothrow) RowMoments(); }

    char const* getPluginName() const noexcept override { return "RowMoments"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "course"; }
    int32_t getNbOutputs() const noexcept override { return 2; }

    int32_t getOutputDataTypes(trt::DataType* outputTypes, int32_t nbOutputs, trt::DataType const*,
        int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 2)
        {
            return -1;
        }
        outputTypes[0] = outputTypes[1] = trt::DataType::kFLOAT;
        return 0;
    }

    int32_t getOutputShapes(trt::DimsExprs const* inputs, int32_t nbInputs, trt::DimsExprs const*, int32_t,
        trt::DimsExprs* outputs, int32_t nbOutputs, trt::IExprBuilder&) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 2 || inputs[0].nbDims != 2)
        {
            return -1;
        }
        for (int32_t i = 0; i < 2; ++i)
        {
            outputs[i].nbDims = 1;
            outputs[i].d[0] = inputs[0].d[0];
        }
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, trt::DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        trt::PluginTensorDesc const& desc = inOut[pos].desc;
        bool const half = pos == 0 && desc.type == trt::DataType::kHALF;
        return nbInputs == 1 && nbOutputs == 2 && desc.format == trt::TensorFormat::kLINEAR
            && (half || desc.type == trt::DataType::kFLOAT);
    }

    int32_t configurePlugin(trt::DynamicPluginTensorDesc const*, int32_t, trt::DynamicPluginTensorDesc const*,
        int32_t) noexcept override
    {
        return 0;
    }

    int32_t onShapeChange(trt::PluginTensorDesc const*, int32_t, trt::PluginTensorDesc const*, int32_t) noexcept override
    {
        return mSide.create() == cudaSuccess ? 0 : -1;
    }

    int32_t enqueue(trt::PluginTensorDesc const* inputDesc, trt::PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        int64_t const rows = inputDesc[0].dims.d[0];
        int64_t const length = inputDesc[0].dims.d[1];
        if (rows == 0)
        {
            return 0;
        }
        if (length == 0 || mSide.get() == nullptr || mSide.fork(stream) != cudaSuccess)
        {
            return -1;
        }
        bool const half = inputDesc[0].type == trt::DataType::kHALF;
        auto* mean = static_cast<float*>(outputs[0]);
        auto* square = static_cast<float*>(outputs[1]);
        cudaError_t const aside = rowMean(inputs[0], half, square, rows, length, true, mSide.get());
        cudaError_t const here = rowMean(inputs[0], half, mean, rows, length, false, stream);
        cudaError_t const joined = mSide.join(stream); // also where a launch failed: the fork must not stay open
        return aside == cudaSuccess && here == cudaSuccess && joined == cudaSuccess ? 0 : -1;
    }

    trt::IPluginV3* attachToContext(trt::IPluginResourceContext*) noexcept override
    {
        std::unique_ptr<RowMoments> attached{clone()};
        return attached && attached->mSide.create() == cudaSuccess ? attached.release() : nullptr;
    }

    trt::PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &mNone; }

private:
    SideStream mSide;
    trt::PluginFieldCollection mNone{};
};

// No fields. What it is given is ignored.
class RowMomentsCreator final : public trt::IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "RowMoments"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return "course"; }
    trt::PluginFieldCollection const* getFieldNames() noexcept override { return &mNone; }

    trt::IPluginV3* createPlugin(
        char const*, trt::PluginFieldCollection const*, trt::TensorRTPhase) noexcept override
    {
        return new (std::nothrow) RowMoments();
    }

private:
    trt::PluginFieldCollection mNone{};
};
} // namespace

extern "C" nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static RowMomentsCreator creator;
    static nvinfer1::IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(nvinfer1::ILoggerFinder*) {}
