// relative_position_bias.cpp: the five methods of RelativePositionBias that know about shapes.
//
// The header says what goes in and what comes out. Each method learns something else about extents: expressions, bounds,
// or numbers.
#include "relative_position_bias.h"

#include "common/status.h"

using namespace nvinfer1;

namespace
{
// Bytes of the diagonals for these extents.
size_t diagonalBytes(int64_t heads, int64_t queries, int64_t past) noexcept
{
    return sizeof(float) * static_cast<size_t>(heads * (past + 2 * queries - 1));
}
} // namespace

// The output's shape [1, H, Q, K], as expressions of the inputs' extents.
int32_t RelativePositionBias::getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t,
    DimsExprs* outputs, int32_t nbOutputs, IExprBuilder& builder) noexcept
{
    if (nbInputs != kINPUTS || nbOutputs != 1 || inputs[kQUERY].nbDims != 4 || inputs[kPAST].nbDims != 4
        || inputs[kTABLE].nbDims != 2)
    {
        return kit::kFAILED;
    }
    IDimensionExpr const& padTo = *builder.constant(mParameters.padTo);
    IDimensionExpr const* keys = builder.operation(DimensionOperation::kSUM, *inputs[kPAST].d[2], *inputs[kQUERY].d[2]);
    IDimensionExpr const* parts = builder.operation(DimensionOperation::kCEIL_DIV, *keys, padTo);
    outputs[0].nbDims = 4;
    outputs[0].d[0] = builder.constant(1);
    outputs[0].d[1] = inputs[kTABLE].d[1];
    outputs[0].d[2] = inputs[kQUERY].d[2];
    outputs[0].d[3] = builder.operation(DimensionOperation::kPROD, *parts, padTo);
    return kit::kOK;
}

// While an engine is built: a network whose table this plugin cannot use is refused.
int32_t RelativePositionBias::configurePlugin(
    DynamicPluginTensorDesc const* in, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept
{
    return bucketsFit(in[kTABLE].max.d[0], mParameters) ? kit::kOK : kit::kFAILED;
}

// Enough for every run within the profile.
size_t RelativePositionBias::getWorkspaceSize(
    DynamicPluginTensorDesc const* inputs, int32_t, DynamicPluginTensorDesc const*, int32_t) const noexcept
{
    return diagonalBytes(inputs[kTABLE].max.d[1], inputs[kQUERY].max.d[2], inputs[kPAST].max.d[2]);
}

// Before a run, with the extents of that run: what cannot be computed is refused.
int32_t RelativePositionBias::onShapeChange(
    PluginTensorDesc const* in, int32_t, PluginTensorDesc const*, int32_t) noexcept
{
    int64_t const heads = in[kTABLE].dims.d[1];
    bool const oneNumber = in[kQUERY].dims.d[1] == heads && in[kPAST].dims.d[1] == heads;
    return oneNumber && bucketsFit(in[kTABLE].dims.d[0], mParameters) ? kit::kOK : kit::kFAILED;
}

int32_t RelativePositionBias::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
    void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) noexcept
{
    Dims const& bias = outputDesc[0].dims;
    BiasShape const shape{bias.d[1], bias.d[2], inputDesc[kPAST].dims.d[2], bias.d[3]};
    if (shape.heads * shape.queries * shape.row == 0)
    {
        return kit::kOK; // no element of the output: nothing to launch
    }
    auto const launch = outputDesc[0].type == DataType::kHALF ? biasHalf : biasFloat;
    return kit::status(launch(inputs[kTABLE], inputDesc[kTABLE].dims.d[0], static_cast<float*>(workspace), outputs[0],
        shape, mParameters, stream));
}
