#include "cuda.h"

#include <dlfcn.h>

namespace host {
namespace {

void* gLibrary = nullptr;

}  // namespace

void* cudaSymbol(const char* name) { return gLibrary == nullptr ? nullptr : dlsym(gLibrary, name); }

std::string loadCuda(const char* path) {
  gLibrary = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  return gLibrary == nullptr ? dlerror() : "";
}

void* cudaAllocate(uint64_t bytes) {
  static const auto function = cudaFunction<decltype(&cudaMalloc)>("cudaMalloc");
  void* memory = nullptr;
  return function != nullptr && function(&memory, bytes) == cudaSuccess ? memory : nullptr;
}

bool cudaDeallocate(void* memory) {
  static const auto function = cudaFunction<decltype(&cudaFree)>("cudaFree");
  return function != nullptr && function(memory) == cudaSuccess;
}

void* cudaAllocateOn(uint64_t bytes, cudaStream_t stream) {
  static const auto function = cudaFunction<cudaError_t (*)(void**, size_t, cudaStream_t)>("cudaMallocAsync");
  void* memory = nullptr;
  return function != nullptr && function(&memory, bytes, stream) == cudaSuccess ? memory : nullptr;
}

bool cudaDeallocateOn(void* memory, cudaStream_t stream) {
  static const auto function = cudaFunction<cudaError_t (*)(void*, cudaStream_t)>("cudaFreeAsync");
  return function != nullptr && function(memory, stream) == cudaSuccess;
}

void cudaTurns(int threads) {
  if (const auto function = cudaFunction<void (*)(int)>("graderRuntimeTurns")) function(threads);
}

void cudaTakeTurn(int thread) {
  if (const auto function = cudaFunction<void (*)(int)>("graderRuntimeTakeTurn")) function(thread);
}

void cudaTurnOver() {
  if (const auto function = cudaFunction<void (*)()>("graderRuntimeTurnOver")) function();
}

}  // namespace host
