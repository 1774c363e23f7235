// What TensorRT lends to plugins besides their arguments: a logger, a resource context, an allocator of device memory.
#pragma once

#include <memory>

#include <NvInferRuntime.h>

#include "value.h"

namespace host {

nvinfer1::ILogger& logger();
nvinfer1::ILoggerFinder& loggerFinder();
Value takeMessages();  // [[severity, text], ...] since the last call

// A context of its own for each attached plugin, as TensorRT has one for each execution context; it outlives the plugin.
// So has the allocator: V2 plugins may tell contexts apart by its address (NvInferRuntimePlugin.h 10.14,
// IPluginV2Ext::attachToContext).
std::unique_ptr<nvinfer1::IPluginResourceContext> newResourceContext();
std::unique_ptr<nvinfer1::IGpuAllocator> newAllocator();

}  // namespace host
