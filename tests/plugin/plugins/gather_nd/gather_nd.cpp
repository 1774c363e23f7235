// GatherND as in ONNX, of opset 13: int32 or int64 indices, batch_dims leading axes in common.
#include "gather_nd_plugin.h"
#include "gather_nd_kernel.h"

#include <cstring>
#include <exception>

using namespace nvinfer1;

namespace course
{
namespace
{
constexpr char const* kNAME{"GatherND"};
constexpr char const* kVERSION{"1"};
constexpr char const* kNAMESPACE{"course"};

//! Describes the gather at run time. False where the shapes do not fit each other.
bool makePlan(Dims const& data, Dims const& indices, int32_t batchDims, GatherNDPlan& plan)
{
    int32_t const b = batchDims;
    if (indices.nbDims <= b || data.nbDims <= b)
    {
        return false;
    }
    int64_t const depth = indices.d[indices.nbDims - 1];
    if (depth < 1 || depth > data.nbDims - b)
    {
        return false;
    }
    plan = GatherNDPlan{};
    plan.depth = static_cast<int32_t>(depth);
    plan.batches = plan.tuplesPerBatch = plan.sliceSize = plan.batchStride = 1;
    for (int32_t i = 0; i < b; ++i)
    {
        if (data.d[i] != indices.d[i])
        {
            return false;
        }
        plan.batches *= data.d[i];
    }
    for (int32_t i = b; i < indices.nbDims - 1; ++i)
    {
        plan.tuplesPerBatch *= indices.d[i];
    }
    for (int32_t i = data.nbDims - 1; i >= b; --i)
    {
        if (i >= b + plan.depth)
        {
            plan.sliceSize *= data.d[i];
        }
        else
        {
            plan.extent[i - b] = data.d[i];
            plan.stride[i - b] = plan.batchStride;
        }
        plan.batchStride *= data.d[i];
    }
    return true;
}

bool isDataType(DataType type)
{
    return type == DataType::kFLOAT || type == DataType::kHALF || type == DataType::kINT32;
}

bool isIndexType(DataType type)
{
    return type == DataType::kINT32 || type == DataType::kINT64;
}
} // namespace

GatherNDPlugin::GatherNDPlugin(int32_t batchDims)
    : mBatchDims{batchDims}
    , mTimingCacheId{"batch_dims=" + std::to_string(batchDims)}
{
}

IPluginCapability* GatherNDPlugin::getCapabilityInterface(PluginCapabilityType type) noexcept
{
    if (type == PluginCapabilityType::kBUILD)
    {
        return static_cast<IPluginV3OneBuild*>(this);
    }
    if (type == PluginCapabilityType::kRUNTIME)
    {
        return static_cast<IPluginV3OneRuntime*>(this);
    }
    return type == PluginCapabilityType::kCORE ? static_cast<IPluginV3OneCore*>(this) : nullptr;
}

IPluginV3* GatherNDPlugin::clone() noexcept
{
    try
    {
        return new GatherNDPlugin{mBatchDims};
    }
    catch (std::exception const&)
    {
        return nullptr;
    }
}

char const* GatherNDPlugin::getPluginName() const noexcept
{
    return kNAME;
}

char const* GatherNDPlugin::getPluginVersion() const noexcept
{
    return kVERSION;
}

char const* GatherNDPlugin::getPluginNamespace() const noexcept
{
    return kNAMESPACE;
}

int32_t GatherNDPlugin::getNbOutputs() const noexcept
{
    return 1;
}

int32_t GatherNDPlugin::configurePlugin(DynamicPluginTensorDesc const* /*in*/, int32_t nbInputs,
    DynamicPluginTensorDesc const* /*out*/, int32_t nbOutputs) noexcept
{
    return nbInputs == 2 && nbOutputs == 1 ? 0 : -1;
}

bool GatherNDPlugin::supportsFormatCombination(
    int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept
{
    if (nbInputs != 2 || nbOutputs != 1 || inOut[pos].desc.format != TensorFormat::kLINEAR)
    {
        return false;
    }
    switch (pos)
    {
    case 0: return isDataType(inOut[0].desc.type);
    case 1: return isIndexType(inOut[1].desc.type);
    case 2: return inOut[2].desc.type == inOut[0].desc.type;
    default: return false;
    }
}

int32_t GatherNDPlugin::getOutputDataTypes(
    DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept
{
    if (nbInputs != 2 || nbOutputs != 1)
    {
        return -1;
    }
    outputTypes[0] = inputTypes[0];
    return 0;
}

int32_t GatherNDPlugin::getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* /*shapeInputs*/,
    int32_t /*nbShapeInputs*/, DimsExprs* outputs, int32_t nbOutputs, IExprBuilder& /*exprBuilder*/) noexcept
{
    if (nbInputs != 2 || nbOutputs != 1)
    {
        return -1;
    }
    DimsExprs const& data = inputs[0];
    DimsExprs const& indices = inputs[1];
    if (indices.nbDims <= mBatchDims || data.nbDims <= mBatchDims || !indices.d[indices.nbDims - 1]->isConstant())
    {
        return -1; // the rank of the output hangs on the last extent of indices
    }
    int64_t const depth = indices.d[indices.nbDims - 1]->getConstantValue();
    int64_t const rank = indices.nbDims - 1 + data.nbDims - mBatchDims - depth;
    if (depth < 1 || depth > data.nbDims - mBatchDims || rank > Dims::MAX_DIMS)
    {
        return -1;
    }
    int32_t n = 0;
    for (int32_t i = 0; i < indices.nbDims - 1; ++i)
    {
        outputs[0].d[n++] = indices.d[i];
    }
    for (int32_t i = mBatchDims + static_cast<int32_t>(depth); i < data.nbDims; ++i)
    {
        outputs[0].d[n++] = data.d[i];
    }
    outputs[0].nbDims = n;
    return 0;
}

char const* GatherNDPlugin::getTimingCacheID() noexcept
{
    return mTimingCacheId.c_str();
}

int32_t GatherNDPlugin::onShapeChange(PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const* /*out*/,
    int32_t nbOutputs) noexcept
{
    GatherNDPlan plan;
    return nbInputs == 2 && nbOutputs == 1 && makePlan(in[0].dims, in[1].dims, mBatchDims, plan) ? 0 : -1;
}

int32_t GatherNDPlugin::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* /*outputDesc*/,
    void const* const* inputs, void* const* outputs, void* /*workspace*/, cudaStream_t stream) noexcept
{
    GatherNDPlan plan;
    if (!makePlan(inputDesc[0].dims, inputDesc[1].dims, mBatchDims, plan))
    {
        return -1;
    }
    int32_t const elementSize = inputDesc[0].type == DataType::kHALF ? 2 : 4;
    bool const indices64 = inputDesc[1].type == DataType::kINT64;
    return gatherND(plan, inputs[0], elementSize, inputs[1], indices64, outputs[0], stream) == cudaSuccess ? 0 : -1;
}

IPluginV3* GatherNDPlugin::attachToContext(IPluginResourceContext* /*context*/) noexcept
{
    return clone();
}

PluginFieldCollection const* GatherNDPlugin::getFieldsToSerialize() noexcept
{
    try
    {
        mDataToSerialize.clear();
        mDataToSerialize.emplace_back("batch_dims", &mBatchDims, PluginFieldType::kINT32, 1);
        mFCToSerialize.nbFields = static_cast<int32_t>(mDataToSerialize.size());
        mFCToSerialize.fields = mDataToSerialize.data();
        return &mFCToSerialize;
    }
    catch (std::exception const&)
    {
        return nullptr;
    }
}

GatherNDPluginCreator::GatherNDPluginCreator()
{
    mPluginAttributes.emplace_back("batch_dims", nullptr, PluginFieldType::kINT32, 1);
    mFC.nbFields = static_cast<int32_t>(mPluginAttributes.size());
    mFC.fields = mPluginAttributes.data();
}

char const* GatherNDPluginCreator::getPluginName() const noexcept
{
    return kNAME;
}

char const* GatherNDPluginCreator::getPluginVersion() const noexcept
{
    return kVERSION;
}

char const* GatherNDPluginCreator::getPluginNamespace() const noexcept
{
    return kNAMESPACE;
}

PluginFieldCollection const* GatherNDPluginCreator::getFieldNames() noexcept
{
    return &mFC;
}

IPluginV3* GatherNDPluginCreator::createPlugin(
    char const* /*name*/, PluginFieldCollection const* fc, TensorRTPhase /*phase*/) noexcept
{
    try
    {
        if (fc == nullptr || (fc->nbFields > 0 && fc->fields == nullptr))
        {
            return nullptr;
        }
        int32_t batchDims{0};
        for (int32_t i = 0; i < fc->nbFields; ++i)
        {
            PluginField const& field = fc->fields[i];
            if (field.name == nullptr || std::strcmp(field.name, "batch_dims") != 0)
            {
                continue;
            }
            if (field.type != PluginFieldType::kINT32 || field.length != 1 || field.data == nullptr)
            {
                return nullptr;
            }
            batchDims = *static_cast<int32_t const*>(field.data);
        }
        if (batchDims < 0 || batchDims >= Dims::MAX_DIMS)
        {
            return nullptr;
        }
        return new GatherNDPlugin{batchDims};
    }
    catch (std::exception const&)
    {
        return nullptr;
    }
}

} // namespace course

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static course::GatherNDPluginCreator creator;
    static IPluginCreatorInterface* const list[]{&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder* /*finder*/) {}
