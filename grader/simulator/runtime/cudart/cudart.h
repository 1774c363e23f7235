// CUDA's own declarations, visible outside the library; everything else here is hidden (-fvisibility=hidden).
#pragma once

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

// Opens the definition of what code compiled with --default-stream per-thread calls instead of `name`: the same
// function under another name, for which stream 0 is the calling thread's own.
#define EXPORTED extern "C" __attribute__((visibility("default")))
#define PER_THREAD(name, suffix) EXPORTED decltype(name) name##suffix
