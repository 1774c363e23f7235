// AdaptiveAvgPool2d(x): output extents are an attribute, so that they are constants in getOutputShapes.
#include "adaptive_avg_pool_kernel.cuh"

#include <NvInferRuntime.h>
#include <cstring>
#include <new>

using namespace nvinfer1;

struct OutputSize {
    int64_t extent[2] = {1, 1}; // height, width
};

class AdaptiveAvgPool : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
public:
    explicit AdaptiveAvgPool(const OutputSize& size) : size_(size) {}

    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override
    {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }

    AdaptiveAvgPool* clone() noexcept override { return new (std::nothrow) AdaptiveAvgPool(size_); }

    const char* getPluginName() const noexcept override { return "AdaptiveAvgPool2d"; }
    const char* getPluginVersion() const noexcept override { return "1"; }
    const char* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getOutputDataTypes(DataType* out, int32_t n_out, const DataType* in, int32_t n_in) const noexcept override
    {
        if (n_in != 1 || n_out != 1) return -1;
        out[0] = in[0];
        return 0;
    }

    int32_t getOutputShapes(const DimsExprs* in, int32_t n_in, const DimsExprs*, int32_t, DimsExprs* out, int32_t n_out,
                            IExprBuilder& expr) noexcept override
    {
        if (n_in != 1 || n_out != 1 || in[0].nbDims != 4) return -1;
        out[0].nbDims = 4;
        out[0].d[0] = in[0].d[0];
        out[0].d[1] = in[0].d[1];
        out[0].d[2] = expr.constant(size_.extent[0]);
        out[0].d[3] = expr.constant(size_.extent[1]);
        return 0;
    }

    bool supportsFormatCombination(int32_t pos, const DynamicPluginTensorDesc* io, int32_t n_in,
                                   int32_t n_out) noexcept override
    {
        if (n_in != 1 || n_out != 1 || io[pos].desc.format != PluginFormat::kLINEAR) return false;
        if (pos == 0) return io[0].desc.type == DataType::kFLOAT || io[0].desc.type == DataType::kHALF;
        return io[pos].desc.type == io[0].desc.type;
    }

    int32_t configurePlugin(const DynamicPluginTensorDesc*, int32_t, const DynamicPluginTensorDesc*,
                            int32_t) noexcept override
    {
        return 0;
    }

    int32_t onShapeChange(const PluginTensorDesc* in, int32_t n_in, const PluginTensorDesc*, int32_t) noexcept override
    {
        return n_in == 1 && in[0].dims.nbDims == 4 ? 0 : -1;
    }

    int32_t enqueue(const PluginTensorDesc* in, const PluginTensorDesc*, const void* const* inputs, void* const* outputs,
                    void*, cudaStream_t stream) noexcept override
    {
        const Dims& d = in[0].dims;
        const PoolShape shape{d.d[0] * d.d[1], d.d[2], d.d[3], size_.extent[0], size_.extent[1]};
        return static_cast<int32_t>(
            adaptive_avg_pool(inputs[0], outputs[0], shape, in[0].type == DataType::kHALF, stream));
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    const PluginFieldCollection* getFieldsToSerialize() noexcept override
    {
        field_ = PluginField("output_size", size_.extent, PluginFieldType::kINT64, 2);
        fields_ = PluginFieldCollection{1, &field_};
        return &fields_;
    }

private:
    const OutputSize size_;
    PluginField field_;
    PluginFieldCollection fields_{};
};

// output_size: one or two int32 or int64 of at least 1 (ONNX' lists arrive as int32); required. Other fields: ignored.
class AdaptiveAvgPoolCreator : public IPluginCreatorV3One {
public:
    const char* getPluginName() const noexcept override { return "AdaptiveAvgPool2d"; }
    const char* getPluginVersion() const noexcept override { return "1"; }
    const char* getPluginNamespace() const noexcept override { return ""; }
    const PluginFieldCollection* getFieldNames() noexcept override { return &fields_; }

    IPluginV3* createPlugin(const char*, const PluginFieldCollection* fc, TensorRTPhase) noexcept override
    {
        OutputSize size;
        bool found = false;
        for (int i = 0; fc && fc->fields && i < fc->nbFields; ++i) {
            const PluginField& f = fc->fields[i];
            if (!f.name || std::strcmp(f.name, "output_size") != 0) continue;
            if (!read(f, size)) return nullptr;
            found = true;
        }
        return found ? new (std::nothrow) AdaptiveAvgPool(size) : nullptr;
    }

private:
    static bool read(const PluginField& f, OutputSize& size)
    {
        if (!f.data || f.length < 1 || f.length > 2) return false;
        for (int i = 0; i < 2; ++i) {
            const int from = f.length == 2 ? i : 0;
            if (f.type == PluginFieldType::kINT64) {
                std::memcpy(&size.extent[i], static_cast<const int64_t*>(f.data) + from, sizeof(int64_t));
            } else if (f.type == PluginFieldType::kINT32) {
                int32_t narrow;
                std::memcpy(&narrow, static_cast<const int32_t*>(f.data) + from, sizeof narrow);
                size.extent[i] = narrow;
            } else {
                return false;
            }
            if (size.extent[i] < 1 || size.extent[i] > (int64_t{1} << 31)) return false;
        }
        return true;
    }

    PluginField field_{"output_size", nullptr, PluginFieldType::kINT64, 2};
    PluginFieldCollection fields_{1, &field_};
};

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& count)
{
    static AdaptiveAvgPoolCreator creator;
    static IPluginCreatorInterface* list[] = {&creator};
    count = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
