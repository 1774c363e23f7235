// Host functions that wait in streams: cudaLaunchHostFunc and cudaStreamAddCallback.
#pragma once

#include <cstdint>
#include <functional>

namespace grader {

// A token for the device process. It stays good: a graph may run its function again and again.
uint64_t keep_host_function(std::function<void()> function);

// Runs it in this thread and tells the device process. While it runs, CUDA refuses this thread's calls.
void run_host_function(uint64_t token);

}  // namespace grader
