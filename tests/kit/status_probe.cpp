// The kit's statuses, with a CUDA runtime of one function that counts its calls.
#include "common/status.h"

#include <cstdio>
#include <new>

namespace
{
int gCalls = 0;
cudaError_t gLast = cudaSuccess;
} // namespace

extern "C" cudaError_t cudaGetLastError()
{
    ++gCalls;
    cudaError_t const last = gLast;
    gLast = cudaSuccess;
    return last;
}

int main()
{
    gLast = cudaErrorInvalidConfiguration;
    int32_t const bad = kit::launched();
    int32_t const good = kit::launched();
    int32_t const thrown = kit::guarded(kit::kFAILED, []() -> int32_t { throw std::bad_alloc(); });
    int32_t const returned = kit::guarded(kit::kFAILED, [] { return 3; });
    int value = 0;
    int const* const pointer = kit::guarded<int*>(nullptr, [&] { return &value; });
    int const* const none = kit::guarded<int*>(nullptr, []() -> int* { throw 1; });
    std::printf("%d %d %d %d %d %d %d %d\n", bad, good, gCalls, thrown, returned, pointer == &value, none == nullptr,
        kit::status(cudaSuccess));
}
