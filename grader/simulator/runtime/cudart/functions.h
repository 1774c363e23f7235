// A number for every function of the CUDA runtime: its place in functions.inc. Only numbers and names, so that this
// file needs none of CUDA's headers (whose macros would rename some of the functions).
#pragma once

#include <cstdint>

namespace grader {

enum class Function : uint16_t {
  none,
#define FUNCTION(name) name,
#include "functions.inc"
#undef FUNCTION
};

}  // namespace grader
