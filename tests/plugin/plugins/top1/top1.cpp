#include "plugin_base.h"
#include "top1_kernel.h"

using namespace nvinfer1;

namespace
{
class Top1 final : public PluginBase<Top1>
{
public:
    static constexpr char const* kName = "Top1";
    static constexpr char const* kVersion = "1";
    static constexpr char const* kNamespace = "course";
    static constexpr int32_t kOutputs = 2;

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 1 || nbOutputs != kOutputs)
        {
            return -1;
        }
        outputTypes[0] = inputTypes[0];
        outputTypes[1] = DataType::kINT32;
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != kOutputs || inputs[0].nbDims < 1)
        {
            return -1;
        }
        for (int32_t o = 0; o < kOutputs; ++o)
        {
            outputs[o] = inputs[0];
            --outputs[o].nbDims;
        }
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != kOutputs || inOut[pos].desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        DataType const type = inOut[pos].desc.type;
        switch (pos)
        {
        case 0: return type == DataType::kFLOAT || type == DataType::kHALF;
        case 1: return type == inOut[0].desc.type;
        case 2: return type == DataType::kINT32;
        default: return false;
        }
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        Dims const& dims = inputDesc[0].dims;
        int64_t rows = 1;
        for (int32_t i = 0; i + 1 < dims.nbDims; ++i)
        {
            rows *= dims.d[i];
        }
        int64_t const length = dims.d[dims.nbDims - 1];
        auto* index = static_cast<int32_t*>(outputs[1]);
        cudaError_t const status = inputDesc[0].type == DataType::kHALF
            ? top1Half(inputs[0], outputs[0], index, rows, length, stream)
            : top1(static_cast<float const*>(inputs[0]), static_cast<float*>(outputs[0]), index, rows, length, stream);
        return status == cudaSuccess ? 0 : -1;
    }
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static CreatorBase<Top1> creator;
    static IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
