// The heart of a plugin: check what came, launch, say how it went. 0 is success, anything else is failure.
#pragma once

#include "launch.h"

inline std::int32_t enqueue(float const* x, float* y, std::int64_t n, Stream stream) noexcept
{
    if (n == 0)
    {
        return 0;
    }
    if (n < 0 || x == nullptr || y == nullptr)
    {
        return 1;
    }
    return launchScale(x, y, n, stream);
}
