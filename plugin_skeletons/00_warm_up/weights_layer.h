// A layer that keeps its weights on the device. It owns that memory: nobody else will give it back.
#pragma once

#include "device.h"
#include <cstdint>
#include <new>

class WeightsLayer
{
public:
    // Given: takes the host's values to the device.
    WeightsLayer(float const* values, std::int64_t count) noexcept
        : mCount(count)
        , mWeights(static_cast<float*>(deviceAlloc(bytes())))
    {
        deviceCopy(mWeights, values, bytes());
    }

    // Given: this is how a plugin is cloned, and TensorRT clones often.
    WeightsLayer* clone() const noexcept
    {
        return new (std::nothrow) WeightsLayer(*this);
    }

    // YOUR TURN 1: give the memory back.
    ~WeightsLayer() noexcept {}

    // YOUR TURN 2: `= default` copies the address. The copy needs memory of its own, with the same values in it.
    WeightsLayer(WeightsLayer const& other) noexcept = default;

    // YOUR TURN 3: `a = b` has the same trouble, and a's old memory as well. Mend it, or forbid it: plugins are cloned,
    // never assigned.
    WeightsLayer& operator=(WeightsLayer const& other) noexcept = default;

    float const* weights() const noexcept
    {
        return mWeights;
    }

private:
    std::size_t bytes() const noexcept
    {
        return static_cast<std::size_t>(mCount) * sizeof(float);
    }

    std::int64_t mCount;
    float* mWeights;
};
