// Part of the kit: from CUDA's errors and C++'s exceptions to what a method of a plugin may return.
//
// TensorRT's methods are noexcept and return a number: 0, or anything else for an error. An exception that leaves one
// ends the process, and an error that nobody reports is blamed on the next layer.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <type_traits>
#include <utility>

namespace kit __attribute__((visibility("hidden")))
{
constexpr int32_t kOK = 0;
constexpr int32_t kFAILED = -1;

// 0 for cudaSuccess, else CUDA's own number of the error.
inline int32_t status(cudaError_t error) noexcept
{
    return static_cast<int32_t>(error);
}

// The status of the launch that stands right before: a grid that is too large, a kernel that this GPU has no code for.
// It does not wait. What goes wrong while the kernel runs shows in a later call, since nothing may wait in enqueue().
inline int32_t launched() noexcept
{
    return status(cudaGetLastError());
}

// What `body` returns, or `otherwise` if it throws: std::bad_alloc from a vector, say. `otherwise` is what the method
// returns for an error.
//
//   return kit::guarded(kit::kFAILED, [&] { return fill(mTable); });
//   return kit::guarded<IPluginV3*>(nullptr, [&] { return new Mine(*this); });
template <typename Result, typename Body>
Result guarded(Result otherwise, Body&& body) noexcept
{
    static_assert(std::is_convertible_v<decltype(body()), Result>, "body returns what the method returns");
    try
    {
        return std::forward<Body>(body)();
    }
    catch (...)
    {
        return otherwise;
    }
}
} // namespace kit
