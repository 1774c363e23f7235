// Memory, streams and graphs of the process' own CUDA runtime, as the parent asks for them where there is a real GPU.
#pragma once

#include <string>

#include "value.h"

namespace host {

// [operation, arguments...]: see grader/plugin/gpu_device.py. Returns [status, result].
Value onGpu(const Value& arguments, std::string& problem);

}  // namespace host
