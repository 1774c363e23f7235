// Plugins and creators that write down each call and pass it on to the one they stand for.
#pragma once

#include <NvInferRuntime.h>

#include <memory>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // all of V2 is deprecated since TensorRT 10.0

namespace tracer {

// A stand-in for `inner`, which it does not own; `inner` itself where its kind of interface is not known here.
nvinfer1::IPluginCreatorInterface* traced(nvinfer1::IPluginCreatorInterface* inner);

// One for each family, in v3.cpp and v2.cpp.
std::unique_ptr<nvinfer1::IPluginCreatorInterface> tracedV3(nvinfer1::IPluginCreatorV3One& inner);
std::unique_ptr<nvinfer1::IPluginCreatorInterface> tracedV2(nvinfer1::IPluginCreator& inner);

}  // namespace tracer
