// How TensorRT comes by a Relu: the creator, and the library's entry points.
#include "relu.h"

#include "common/export.h"

#include <new>

using namespace nvinfer1;

PluginFieldCollection const* ReluCreator::getFieldNames() noexcept
{
    return &mNoFields;
}

IPluginV3* ReluCreator::createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) noexcept
{
    return new (std::nothrow) Relu;
}

KIT_EXPORT(ReluCreator)
