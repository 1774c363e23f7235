// VoxelFeatureEncoder: (P, 4) points -> features (V, 4), cells (V, 3), count. V, the number of voxels that hold a point,
// is known only when enqueue() has run.
//
// The kernels are supplied, in voxel_kernel.cu; read voxel_kernel.h. What must hold stands in the contract, in the
// chapter.
#include "common/export.h"
#include "common/fields.h"
#include "common/log.h"
#include "common/status.h"
#include "voxel_kernel.h"

#include <NvInferRuntime.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <new>

using namespace nvinfer1;

namespace
{
constexpr char const* kNAME = "VoxelFeatureEncoder";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "";
constexpr int64_t kMAX_CELLS = int64_t{1} << 24;

enum Output : int32_t
{
    kFEATURES,
    kCELLS,
    kCOUNT,
    kNB_OUTPUTS,
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

    int32_t getNbOutputs() const noexcept override { return kNB_OUTPUTS; }

    int32_t getOutputDataTypes(
        DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes, int32_t nbInputs) const noexcept override
    {
        if (nbInputs != 1 || nbOutputs != kNB_OUTPUTS)
        {
            return kit::kFAILED;
        }
        outputTypes[kFEATURES] = inputTypes[0];
        outputTypes[kCELLS] = DataType::kINT32;
        outputTypes[kCOUNT] = DataType::kINT32;
        return kit::kOK;
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t, DimsExprs* outputs,
        int32_t nbOutputs, IExprBuilder& builder) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != kNB_OUTPUTS || inputs[0].nbDims != 2)
        {
            return kit::kFAILED;
        }
        IDimensionExpr const* const all = builder.constant(mGrid.count());
        IDimensionExpr const* const upper = builder.operation(DimensionOperation::kMIN, *inputs[0].d[0], *all);
        IDimensionExpr const* const usual
            = builder.operation(DimensionOperation::kCEIL_DIV, *upper, *builder.constant(2));
        IDimensionExpr const* const rows = builder.declareSizeTensor(kCOUNT, *usual, *upper);
        outputs[kFEATURES].nbDims = 2;
        outputs[kFEATURES].d[0] = rows;
        outputs[kFEATURES].d[1] = builder.constant(4);
        outputs[kCELLS].nbDims = 2;
        outputs[kCELLS].d[0] = rows;
        outputs[kCELLS].d[1] = builder.constant(3);
        outputs[kCOUNT].nbDims = 0;
        return kit::kOK;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc, void const* const* inputs,
        void* const* outputs, void* workspace, cudaStream_t stream) noexcept override
    {
        bool const half = inputDesc[0].type == DataType::kHALF;
        int64_t const points = inputDesc[0].dims.d[0];
        auto* const cells = static_cast<int32_t*>(outputs[kCELLS]);
        auto* const count = static_cast<int32_t*>(outputs[kCOUNT]);
        cudaError_t error = cudaMemsetAsync(count, 0, sizeof(int32_t), stream);
        if (error != cudaSuccess || points == 0)
        {
            return kit::status(error);
        }
        error = cudaMemsetAsync(workspace, 0, voxelWorkspace(mGrid), stream);
        if (error != cudaSuccess)
        {
            return kit::status(error);
        }
        error = sumPoints(mGrid, inputs[0], half, points, workspace, count, stream);
        if (error != cudaSuccess)
        {
            return kit::status(error);
        }
        return kit::status(writeVoxels(mGrid, workspace, half, outputs[kFEATURES], cells, stream));
    }

    // All that follows is given.
    bool supportsFormatCombination(
        int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs, int32_t nbOutputs) noexcept override
    {
        if (nbInputs != 1 || nbOutputs != kNB_OUTPUTS || inOut[pos].desc.format != TensorFormat::kLINEAR)
        {
            return false;
        }
        DataType const type = inOut[pos].desc.type;
        switch (pos)
        {
        case 0: return type == DataType::kFLOAT || type == DataType::kHALF;
        case 1 + kFEATURES: return type == inOut[0].desc.type;
        default: return type == DataType::kINT32; // cells and count
        }
    }

    int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs, DynamicPluginTensorDesc const*,
        int32_t nbOutputs) noexcept override
    {
        bool const known = nbInputs == 1 && nbOutputs == kNB_OUTPUTS;
        return known && in[0].max.nbDims == 2 && in[0].max.d[1] == 4 ? kit::kOK : kit::kFAILED;
    }

    size_t getWorkspaceSize(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
        int32_t) const noexcept override
    {
        return voxelWorkspace(mGrid);
    }

    int32_t onShapeChange(
        PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const*, int32_t nbOutputs) noexcept override
    {
        bool const known = nbInputs == 1 && nbOutputs == kNB_OUTPUTS;
        return known && in[0].dims.nbDims == 2 && in[0].dims.d[1] == 4 ? kit::kOK : kit::kFAILED;
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

    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
    IPluginV3* clone() noexcept override { return new (std::nothrow) VoxelFeatureEncoder(mGrid); }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }

    PluginFieldCollection const* getFieldsToSerialize() noexcept override
    {
        mFields[0] = {"lower", mGrid.lower, PluginFieldType::kFLOAT32, 3};
        mFields[1] = {"voxel_size", mGrid.size, PluginFieldType::kFLOAT32, 3};
        mFields[2] = {"grid", mGrid.cells, PluginFieldType::kINT32, 3};
        mKept = {static_cast<int32_t>(mFields.size()), mFields.data()};
        return &mKept;
    }

private:
    VoxelGrid const mGrid;
    std::array<PluginField, 3> mFields{};
    PluginFieldCollection mKept{};
};

// lower, voxel_size (three float32 each) and grid (three int32): all are required.
class VoxelFeatureEncoderCreator final : public IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept override { return kNAME; }
    char const* getPluginVersion() const noexcept override { return kVERSION; }
    char const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &mAdvertised; }

    IPluginV3* createPlugin(char const*, PluginFieldCollection const* collection, TensorRTPhase) noexcept override
    {
        return kit::guarded<IPluginV3*>(nullptr, [&]() -> IPluginV3* {
            std::array<float, 3> lower{};
            std::array<float, 3> size{};
            std::array<int32_t, 3> cells{};
            kit::Fields fields(collection);
            fields.require("lower", lower);
            fields.require("voxel_size", size);
            fields.require("grid", cells);
            if (!fields.done() || !makesSense(fields, lower, size, cells))
            {
                kit::logError(fields.problem());
                return nullptr;
            }
            VoxelGrid grid{};
            std::copy(lower.begin(), lower.end(), grid.lower);
            std::copy(size.begin(), size.end(), grid.size);
            std::copy(cells.begin(), cells.end(), grid.cells);
            return new (std::nothrow) VoxelFeatureEncoder(grid);
        });
    }

private:
    static bool makesSense(kit::Fields& fields, std::array<float, 3> const& lower, std::array<float, 3> const& size,
        std::array<int32_t, 3> const& cells) noexcept
    {
        int64_t all = 1;
        for (size_t axis = 0; axis < 3; ++axis)
        {
            if (!std::isfinite(lower[axis]) || !std::isfinite(size[axis]) || !(size[axis] > 0.0F))
            {
                return fields.refuse("voxel_size", "a voxel needs a place and a size that are finite, and some size");
            }
            if (cells[axis] < 1 || (all *= cells[axis]) > kMAX_CELLS)
            {
                return fields.refuse("grid", "it needs 1 to 16777216 cells");
            }
        }
        return true;
    }

    std::array<PluginField, 3> mFields{PluginField{"lower", nullptr, PluginFieldType::kFLOAT32, 3},
        PluginField{"voxel_size", nullptr, PluginFieldType::kFLOAT32, 3},
        PluginField{"grid", nullptr, PluginFieldType::kINT32, 3}};
    PluginFieldCollection mAdvertised{static_cast<int32_t>(mFields.size()), mFields.data()};
};
} // namespace

KIT_EXPORT(VoxelFeatureEncoderCreator)
