// The launch of a kernel, as the host sees it. Supplied: read it, leave it as it is.
#pragma once

#include <cstdint>

struct StreamState;
using Stream = StreamState*; // as cudaStream_t: a queue on the device. A null stream is the default one

// Starts y = 2 x + 1 for n elements on the stream. Returns 0 or an error code, as cudaGetLastError does after a
// launch. With n = 0 the grid would have no block, and that is an error: 9, cudaErrorInvalidConfiguration.
std::int32_t launchScale(float const* x, float* y, std::int64_t n, Stream stream) noexcept;
