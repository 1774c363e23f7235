// relative_position_bias.cpp: the five methods of RelativePositionBias that know about shapes.
//
// The header says what goes in and what comes out. Each method learns something else about extents: expressions, bounds,
// or numbers.
#include "relative_position_bias.h"

#include "common/status.h"

using namespace nvinfer1;

// The output's shape [1, H, Q, K], as expressions of the inputs' extents.
int32_t RelativePositionBias::getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const*, int32_t,
    DimsExprs* outputs, int32_t nbOutputs, IExprBuilder& builder) noexcept
{
    if (nbInputs != kINPUTS || nbOutputs != 1 || inputs[kQUERY].nbDims != 4 || inputs[kPAST].nbDims != 4
        || inputs[kTABLE].nbDims != 2)
    {
        return kit::kFAILED;
    }
    // YOUR TURN 1: four expressions in outputs[0].d, and how many there are in outputs[0].nbDims.
    return kit::kFAILED;
    // END
}

// While an engine is built: a network whose table this plugin cannot use is refused.
int32_t RelativePositionBias::configurePlugin(
    DynamicPluginTensorDesc const* in, int32_t, DynamicPluginTensorDesc const*, int32_t) noexcept
{
    // YOUR TURN 2: bucketsFit() tells whether a table with so many rows can be used.
    return kit::kFAILED;
    // END
}

// Enough for every run within the profile.
size_t RelativePositionBias::getWorkspaceSize(
    DynamicPluginTensorDesc const* inputs, int32_t, DynamicPluginTensorDesc const*, int32_t) const noexcept
{
    // YOUR TURN 3: bytes. bias_kernel.h says how many floats the diagonals are.
    return 0;
    // END
}

// Before a run, with the extents of that run: what cannot be computed is refused.
int32_t RelativePositionBias::onShapeChange(
    PluginTensorDesc const* in, int32_t, PluginTensorDesc const*, int32_t) noexcept
{
    // YOUR TURN 4: the three inputs have the same number of heads, and the table can be used.
    return kit::kFAILED;
    // END
}

int32_t RelativePositionBias::enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
    void const* const* inputs, void* const* outputs, void* workspace, cudaStream_t stream) noexcept
{
    // YOUR TURN 5: biasFloat() or biasHalf(), with the extents of this run; unless there is nothing to do.
    return kit::kFAILED;
    // END
}
