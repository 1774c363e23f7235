// TokenEmbedding(tokens): its table may be large and is never changed, so that all contexts share one device copy.
#include "shared_table.h"
#include "token_embedding_kernel.h"

#include <NvInferRuntime.h>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

using namespace nvinfer1;

namespace
{
using Table = std::shared_ptr<std::vector<float> const>;

class TokenEmbedding final : public IPluginV3,
                             public IPluginV3OneCore,
                             public IPluginV3OneBuild,
                             public IPluginV3OneRuntime
{
public:
    TokenEmbedding(Table table, int32_t width)
        : mTable(std::move(table))
        , mKey(keyOf(*mTable))
        , mWidth(width)
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

    TokenEmbedding* clone() noexcept override
    {
        try
        {
            return new TokenEmbedding(mTable, mWidth);
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

    char const* getPluginName() const noexcept override { return "TokenEmbedding"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return 1; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const*, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1)
        {
            return -1;
        }
        outputTypes[0] = DataType::kFLOAT;
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder& exprBuilder) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != 1 || inputs[0].nbDims >= Dims::MAX_DIMS)
        {
            return -1;
        }
        outputs[0] = inputs[0];
        outputs[0].d[outputs[0].nbDims++] = exprBuilder.constant(mWidth);
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        return nbInputs == 1 && nbOutputs == 1 && inOut[pos].desc.format == TensorFormat::kLINEAR
            && inOut[pos].desc.type == (pos == 0 ? DataType::kINT32 : DataType::kFLOAT);
    }

    int32_t configurePlugin(
        DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept override
    {
        return 0;
    }

    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override
    {
        return mLease.acquire(mKey, mTable) ? 0 : -1;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void*, cudaStream_t stream) noexcept override
    {
        if (mLease.data() == nullptr)
        {
            return -1;
        }
        int64_t count = 1;
        for (int32_t i = 0; i < inputDesc[0].dims.nbDims; ++i)
        {
            count *= inputDesc[0].dims.d[i];
        }
        auto const vocabulary = static_cast<int64_t>(mTable->size()) / mWidth;
        cudaError_t const status = embedTokens(static_cast<int32_t const*>(inputs[0]), count, mLease.data(), vocabulary,
            mWidth, static_cast<float*>(outputs[0]), stream);
        return status == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override
    {
        std::unique_ptr<TokenEmbedding> attached{clone()};
        return attached && attached->mLease.acquire(mKey, mTable) ? attached.release() : nullptr;
    }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mFields[0] = {"width", &mWidth, PluginFieldType::kINT32, 1};
        mFields[1] = {"table", mTable->data(), PluginFieldType::kFLOAT32, static_cast<int32_t>(mTable->size())};
        mCollection = {2, mFields};
        return &mCollection;
    }

private:
    Table const mTable;
    std::string const mKey;
    int32_t const mWidth;
    TableLease mLease;
    PluginField mFields[2];
    PluginFieldCollection mCollection{};
};

// width: one int32 of at least 1; table: float32, a multiple of width of them. Both required, others ignored.
class TokenEmbeddingCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return "TokenEmbedding"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        try
        {
            int32_t width = 0;
            std::vector<float> table;
            for (int32_t i = 0; fc != nullptr && fc->fields != nullptr && i < fc->nbFields; ++i)
            {
                PluginField const& field = fc->fields[i];
                std::string const name = field.name == nullptr ? "" : field.name;
                if (name != "width" && name != "table")
                {
                    continue;
                }
                if (field.data == nullptr || field.length < 1)
                {
                    return nullptr;
                }
                if (name == "width" && field.type == PluginFieldType::kINT32 && field.length == 1)
                {
                    width = *static_cast<int32_t const*>(field.data);
                }
                else if (name == "table" && field.type == PluginFieldType::kFLOAT32)
                {
                    auto const* first = static_cast<float const*>(field.data);
                    table.assign(first, first + field.length);
                }
                else
                {
                    return nullptr;
                }
            }
            if (width < 1 || table.empty() || table.size() % static_cast<size_t>(width) != 0)
            {
                return nullptr;
            }
            return new TokenEmbedding(std::make_shared<std::vector<float> const>(std::move(table)), width);
        }
        catch (std::exception const&)
        {
            return nullptr;
        }
    }

private:
    PluginField mFields[2]{{"width", nullptr, PluginFieldType::kINT32, 1},
        {"table", nullptr, PluginFieldType::kFLOAT32, 1}};
    PluginFieldCollection mCollection{2, mFields};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static TokenEmbeddingCreator creator;
    static IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
