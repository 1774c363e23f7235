// NonZeroUnordered(x) -> count, where: the size tensor stands first, and is the counter that the kernel adds to.
#include "non_zero_kernel.cuh"

#include <NvInferRuntime.h>
#include <climits>
#include <new>

using namespace nvinfer1;

class NonZero final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override
    {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }

    IPluginV3* clone() noexcept override { return new (std::nothrow) NonZero; }

    const char* getPluginName() const noexcept override { return "NonZeroUnordered"; }
    const char* getPluginVersion() const noexcept override { return "1"; }
    const char* getPluginNamespace() const noexcept override { return ""; }
    int32_t getNbOutputs() const noexcept override { return 2; }

    int32_t getOutputDataTypes(DataType* out, int32_t, const DataType*, int32_t) const noexcept override
    {
        out[0] = DataType::kINT32;
        out[1] = DataType::kINT32;
        return 0;
    }

    int32_t getOutputShapes(const DimsExprs* in, int32_t, const DimsExprs*, int32_t, DimsExprs* out, int32_t,
                            IExprBuilder& expr) noexcept override
    {
        if (in[0].nbDims != 2) return -1;
        const IDimensionExpr* all = expr.operation(DimensionOperation::kPROD, *in[0].d[0], *in[0].d[1]);
        if (!all) return -1;
        const IDimensionExpr* half = expr.operation(DimensionOperation::kFLOOR_DIV, *all, *expr.constant(2));
        out[0].nbDims = 0;
        out[1].nbDims = 2;
        out[1].d[0] = expr.declareSizeTensor(0, *half, *all);
        out[1].d[1] = expr.constant(2);
        return out[1].d[0] ? 0 : -1;
    }

    bool supportsFormatCombination(int32_t pos, const DynamicPluginTensorDesc* io, int32_t, int32_t) noexcept override
    {
        const PluginTensorDesc& d = io[pos].desc;
        if (d.format != PluginFormat::kLINEAR) return false;
        return pos == 0 ? d.type == DataType::kFLOAT || d.type == DataType::kHALF : d.type == DataType::kINT32;
    }

    int32_t configurePlugin(const DynamicPluginTensorDesc*, int32_t, const DynamicPluginTensorDesc*,
                            int32_t) noexcept override
    {
        return 0;
    }

    int32_t onShapeChange(const PluginTensorDesc* in, int32_t, const PluginTensorDesc*, int32_t) noexcept override
    {
        const Dims& d = in[0].dims; // coordinates and count are int32
        return d.nbDims == 2 && (d.d[1] == 0 || d.d[0] <= INT_MAX / d.d[1]) ? 0 : -1;
    }

    int32_t enqueue(const PluginTensorDesc* in, const PluginTensorDesc*, const void* const* inputs, void* const* outputs,
                    void*, cudaStream_t stream) noexcept override
    {
        int* count = static_cast<int*>(outputs[0]);
        if (cudaError_t status = cudaMemsetAsync(count, 0, sizeof(int), stream)) return status;
        return non_zero(inputs[0], in[0].type == DataType::kHALF, count, static_cast<int*>(outputs[1]), in[0].dims.d[0],
                        in[0].dims.d[1], stream);
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    const PluginFieldCollection* getFieldsToSerialize() noexcept override { return &none_; }

private:
    PluginFieldCollection none_{0, nullptr};
};

class NonZeroCreator final : public IPluginCreatorV3One {
public:
    const char* getPluginName() const noexcept override { return "NonZeroUnordered"; }
    const char* getPluginVersion() const noexcept override { return "1"; }
    const char* getPluginNamespace() const noexcept override { return ""; }
    const PluginFieldCollection* getFieldNames() noexcept override { return &none_; }
    IPluginV3* createPlugin(const char*, const PluginFieldCollection*, TensorRTPhase) noexcept override
    {
        return new (std::nothrow) NonZero;
    }

private:
    PluginFieldCollection none_{0, nullptr};
};

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& count)
{
    static NonZeroCreator creator;
    static IPluginCreatorInterface* list[] = {&creator};
    count = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
