// The CUDA runtime of this process, whichever it is: the stand-in for the simulated GPU, or NVIDIA's own.
#pragma once

#include <cstdint>
#include <string>

#include <cuda_runtime_api.h>

namespace host {

// Load it before any plugin library, which then finds it by its name. Empty on success, else why not.
std::string loadCuda(const char* path);

void* cudaSymbol(const char* name);  // null where there is no CUDA, or not this function
template <typename Function>
Function cudaFunction(const char* name) {
  return reinterpret_cast<Function>(cudaSymbol(name));
}

void* cudaAllocate(uint64_t bytes);  // null where there is no CUDA or no memory
bool cudaDeallocate(void* memory);
void* cudaAllocateOn(uint64_t bytes, cudaStream_t stream);
bool cudaDeallocateOn(void* memory, cudaStream_t stream);

// The stand-in's turns: threads go on one at a time, call by call. Nothing with NVIDIA's runtime. Begun before the threads
// start; each takes its turn first and ends with its turn over.
void cudaTurns(int threads);
void cudaTakeTurn(int thread);
void cudaTurnOver();

}  // namespace host
