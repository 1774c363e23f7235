// Stream-ordered allocation, for the functions that name a pool and for those that do not.
#pragma once

#include <cstddef>

#include "cudart.h"

namespace grader {

// null for 0 bytes, with success.
cudaError_t allocate_on(void** pointer, size_t bytes, cudaStream_t stream);

}  // namespace grader
