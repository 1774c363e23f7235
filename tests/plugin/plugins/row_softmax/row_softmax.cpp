// RowSoftmax: two tactics that TensorRT times against each other. The chosen one comes back through setTactic alone, so
// it is no serialized field; a clone keeps it.
#include "row_softmax_kernel.h"

#include <NvInferRuntime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "RowSoftmax";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "course";

enum class Tactic : int32_t
{
    kBY_ROW = 1, // what the default, 0, stands for
    kBY_CHUNK = 2,
};

struct Rows
{
    int64_t rows;
    int64_t length;

    explicit Rows(Dims const& dims) noexcept
        : rows(1)
        , length(dims.d[dims.nbDims - 1])
    {
        for (int32_t i = 0; i + 1 < dims.nbDims; ++i)
        {
            rows *= dims.d[i];
        }
    }
};

class RowSoftmax final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime
{
public:
    explicit RowSoftmax(float temperature, Tactic tactic = Tactic::kBY_ROW) noexcept
        : mTemperature(temperature)
        , mTactic(tactic)
    {
        std::snprintf(mTimingCacheId, sizeof mTimingCacheId, "temperature=%a", static_cast<double>(temperature));
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

    IPluginV3* clone() noexcept override { return new (std::nothrow) RowSoftmax(mTemperature, mTactic); }

    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }

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
        int32_t nbOutputs, IExprBuilder&) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inputs[0].nbDims < 1)
        {
            return -1;
        }
        outputs[0] = inputs[0];
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inOut[pos].desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        DataType const type = inOut[pos].desc.type;
        return pos == 0 ? type == DataType::kFLOAT || type == DataType::kHALF : type == inOut[0].desc.type;
    }

    int32_t getFormatCombinationLimit() noexcept override { return 4; }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    // Enough for either tactic at the largest shape, since it is asked for once, whichever tactic wins.
    size_t getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t, DynamicPluginTensorDesc const*,
        int32_t) const noexcept override
    {
        Rows const most(inputs[0].max);
        return softmax::chunkWorkspace(most.rows, most.length);
    }

    int32_t getNbTactics() noexcept override { return 2; }

    int32_t getValidTactics(int32_t* tactics, int32_t nbTactics) noexcept override
    {
        if (nbTactics != 2)
        {
            return -1;
        }
        tactics[0] = static_cast<int32_t>(Tactic::kBY_ROW);
        tactics[1] = static_cast<int32_t>(Tactic::kBY_CHUNK);
        return 0;
    }

    char const* getTimingCacheID() noexcept override { return mTimingCacheId; }

    int32_t setTactic(int32_t tactic) noexcept override
    {
        if (tactic < 0 || tactic > 2)
        {
            return -1;
        }
        mTactic = tactic == 0 ? Tactic::kBY_ROW : static_cast<Tactic>(tactic);
        return 0;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void* workspace, cudaStream_t stream) noexcept override
    {
        Rows const size(inputDesc[0].dims);
        softmax::Problem const problem{inputs[0], outputs[0], size.rows, size.length, 1.0F / mTemperature,
            inputDesc[0].type == DataType::kHALF};
        cudaError_t const status = mTactic == Tactic::kBY_CHUNK ? softmax::byChunk(problem, workspace, stream)
                                                                : softmax::byRow(problem, stream);
        return status == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mField = PluginField("temperature", &mTemperature, PluginFieldType::kFLOAT32, 1);
        mCollection = {1, &mField};
        return &mCollection;
    }

private:
    float const mTemperature;
    Tactic mTactic;
    char mTimingCacheId[48];
    PluginField mField;
    PluginFieldCollection mCollection{};
};

// temperature: one float32 above 0; 1 where it is missing. Unknown fields are refused.
class RowSoftmaxCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        float temperature = 1.0F;
        if (fc == nullptr || (fc->fields == nullptr && fc->nbFields != 0))
        {
            return nullptr;
        }
        bool const fine = std::all_of(fc->fields, fc->fields + fc->nbFields, [&](PluginField const& field) {
            bool const usable = field.name != nullptr && std::strcmp(field.name, "temperature") == 0
                && field.data != nullptr && field.type == PluginFieldType::kFLOAT32 && field.length == 1;
            if (usable)
            {
                temperature = *static_cast<float const*>(field.data);
            }
            return usable;
        });
        return fine && temperature > 0.0F && std::isfinite(temperature) ? new (std::nothrow) RowSoftmax(temperature)
                                                                        : nullptr;
    }

private:
    PluginField mField{"temperature", nullptr, PluginFieldType::kFLOAT32, 1};
    PluginFieldCollection mCollection{1, &mField};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static RowSoftmaxCreator creator;
    static IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
