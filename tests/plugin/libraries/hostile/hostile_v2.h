#pragma once

#include <NvInferRuntime.h>

// The creator of "HostileV2": y = x as an IPluginV2DynamicExt.
nvinfer1::IPluginCreator& v2Creator();
