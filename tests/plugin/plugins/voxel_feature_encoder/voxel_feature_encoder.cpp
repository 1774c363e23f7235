// VoxelFeatureEncoder(points) -> features, cells, count: a data-dependent output extent, declared as a size tensor.
#include "voxel_kernel.h"

#include <NvInferRuntime.h>
#include <array>
#include <cmath>
#include <cstring>
#include <new>
#include <string_view>

using namespace nvinfer1;

namespace
{
constexpr AsciiChar const* kNAME = "VoxelFeatureEncoder";
constexpr AsciiChar const* kVERSION = "1";
constexpr int64_t kMAX_CELLS = int64_t{1} << 24;

enum Output : int32_t
{
    kFEATURES = 0,
    kCELLS = 1,
    kCOUNT = 2,
    kNB_OUTPUTS = 3,
};

class VoxelFeatureEncoder final : public IPluginV3,
                                  public IPluginV3OneCore,
                                  public IPluginV3OneBuild,
                                  public IPluginV3OneRuntime
{
public:
    explicit VoxelFeatureEncoder(VoxelGrid const& grid) noexcept
        : mGrid(grid)
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

    IPluginV3* clone() noexcept override { return new (std::nothrow) VoxelFeatureEncoder(mGrid); }

    AsciiChar const* getPluginName() const noexcept override { return kNAME; }
    AsciiChar const* getPluginVersion() const noexcept override { return kVERSION; }
    AsciiChar const* getPluginNamespace() const noexcept override { return ""; }

    int32_t getNbOutputs() const noexcept override { return kNB_OUTPUTS; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 1 || nbOutputs != kNB_OUTPUTS || inputTypes[0] != DataType::kFLOAT)
        {
            return -1;
        }
        outputTypes[kFEATURES] = DataType::kFLOAT;
        outputTypes[kCELLS] = DataType::kINT32;
        outputTypes[kCOUNT] = DataType::kINT32; // a size tensor is one
        return 0;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder& builder) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != kNB_OUTPUTS || inputs[0].nbDims != 2)
        {
            return -1;
        }
        IDimensionExpr const* points = inputs[0].d[0];
        IDimensionExpr const* cells = builder.constant(mGrid.count());
        IDimensionExpr const* upper = builder.operation(DimensionOperation::kMIN, *points, *cells);
        IDimensionExpr const* usual
            = builder.operation(DimensionOperation::kCEIL_DIV, *upper, *builder.constant(2)); // a guess
        if (upper == nullptr || usual == nullptr)
        {
            return -1;
        }
        IDimensionExpr const* count = builder.declareSizeTensor(kCOUNT, *usual, *upper);
        if (count == nullptr)
        {
            return -1;
        }
        outputs[kFEATURES].nbDims = 2;
        outputs[kFEATURES].d[0] = count;
        outputs[kFEATURES].d[1] = builder.constant(4);
        outputs[kCELLS].nbDims = 2;
        outputs[kCELLS].d[0] = count;
        outputs[kCELLS].d[1] = builder.constant(3);
        outputs[kCOUNT].nbDims = 0;
        return 0;
    }

    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != kNB_OUTPUTS || inOut[pos].desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        bool const isFloat = pos == 0 || pos == nbInputs + kFEATURES;
        return inOut[pos].desc.type == (isFloat ? DataType::kFLOAT : DataType::kINT32);
    }

    int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs, DynamicPluginTensorDesc const*,
        int32_t nbOutputs) noexcept override
    {
        return nbInputs == 1 && nbOutputs == kNB_OUTPUTS && in[0].max.nbDims == 2 && in[0].max.d[1] == 4 ? 0 : -1;
    }

    size_t getWorkspaceSize(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
        int32_t) const noexcept override
    {
        return voxelWorkspace(mGrid);
    }

    int32_t onShapeChange(
        PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const*, int32_t nbOutputs) noexcept override
    {
        return nbInputs == 1 && nbOutputs == kNB_OUTPUTS && in[0].dims.nbDims == 2 && in[0].dims.d[1] == 4 ? 0 : -1;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
        void* const* outputs, void* workspace, cudaStream_t stream) noexcept override
    {
        cudaError_t const status = encodeVoxels(mGrid, static_cast<float const*>(inputs[0]), inputDesc[0].dims.d[0],
            static_cast<float*>(outputs[kFEATURES]), static_cast<int32_t*>(outputs[kCELLS]),
            static_cast<int32_t*>(outputs[kCOUNT]), workspace, stream);
        return status == cudaSuccess ? 0 : -1;
    }

    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mFields[0] = {"lower", mGrid.lower, PluginFieldType::kFLOAT32, 3};
        mFields[1] = {"voxel_size", mGrid.size, PluginFieldType::kFLOAT32, 3};
        mFields[2] = {"grid", mGrid.cells, PluginFieldType::kINT32, 3};
        mCollection = {static_cast<int32_t>(mFields.size()), mFields.data()};
        return &mCollection;
    }

private:
    VoxelGrid const mGrid;
    std::array<PluginField, 3> mFields{};
    PluginFieldCollection mCollection{};
};

// lower, voxel_size (three float32 each) and grid (three int32): all required, sizes and cells above 0, at most 2^24
// cells. Unknown fields are refused.
class VoxelFeatureEncoderCreator final : public IPluginCreatorV3One
{
public:
    AsciiChar const* getPluginName() const noexcept override { return kNAME; }
    AsciiChar const* getPluginVersion() const noexcept override { return kVERSION; }
    AsciiChar const* getPluginNamespace() const noexcept override { return ""; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mCollection; }

    IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const* fc, TensorRTPhase) noexcept override
    {
        VoxelGrid grid{};
        unsigned found = 0;
        for (int32_t i = 0; fc != nullptr && fc->fields != nullptr && i < fc->nbFields; ++i)
        {
            unsigned const which = read(fc->fields[i], grid);
            if (which == 0)
            {
                return nullptr;
            }
            found |= which;
        }
        return found == 7U && valid(grid) ? new (std::nothrow) VoxelFeatureEncoder(grid) : nullptr;
    }

private:
    /// The bit of the field that was read, 0 for one that cannot be.
    static unsigned read(PluginField const& field, VoxelGrid& grid) noexcept
    {
        if (field.name == nullptr || field.data == nullptr || field.length != 3)
        {
            return 0;
        }
        std::string_view const name{field.name};
        if (name == "grid" && field.type == PluginFieldType::kINT32)
        {
            std::memcpy(grid.cells, field.data, sizeof grid.cells);
            return 1;
        }
        if (name == "lower" && field.type == PluginFieldType::kFLOAT32)
        {
            std::memcpy(grid.lower, field.data, sizeof grid.lower);
            return 2;
        }
        if (name == "voxel_size" && field.type == PluginFieldType::kFLOAT32)
        {
            std::memcpy(grid.size, field.data, sizeof grid.size);
            return 4;
        }
        return 0;
    }

    static bool valid(VoxelGrid const& grid) noexcept
    {
        int64_t cells = 1;
        for (int32_t axis = 0; axis < 3; ++axis)
        {
            if (grid.cells[axis] < 1 || !(grid.size[axis] > 0.0F) || !std::isfinite(grid.size[axis])
                || !std::isfinite(grid.lower[axis]))
            {
                return false;
            }
            cells *= grid.cells[axis];
            if (cells > kMAX_CELLS)
            {
                return false;
            }
        }
        return true;
    }

    std::array<PluginField, 3> mFields{PluginField{"lower", nullptr, PluginFieldType::kFLOAT32, 3},
        PluginField{"voxel_size", nullptr, PluginFieldType::kFLOAT32, 3},
        PluginField{"grid", nullptr, PluginFieldType::kINT32, 3}};
    PluginFieldCollection mCollection{static_cast<int32_t>(mFields.size()), mFields.data()};
};
} // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
{
    static VoxelFeatureEncoderCreator creator;
    static IPluginCreatorInterface* const list[] = {&creator};
    nbCreators = 1;
    return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
