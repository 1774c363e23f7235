// What is known of a kernel, what it may ask for, and how many of its blocks run at once.
#include <algorithm>
#include <climits>

#include "call.h"
#include "device_facts.h"
#include "modules.h"

namespace grader {
namespace {

// CUDA 13.0 takes what it does not know for a cudaKernel_t.
cudaError_t known(const void* function, Kernel*& kernel) {
  kernel = find_kernel(function);
  return kernel ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t known(const void* function) {
  Kernel* kernel;
  return known(function, kernel);
}

cudaError_t find(const void* function, Kernel*& kernel) {
  const cudaError_t status = known(function, kernel);
  return status == cudaSuccess ? resolve(*kernel) : status;
}

// The most dynamic shared memory that a block may have beside its static.
int dynamic_limit(const Kernel& kernel) {
  const int ordinary = facts::BLOCK_SHARED - static_cast<int>(kernel.shared);
  return kernel.most_dynamic < 0 ? std::max(ordinary, 0) : kernel.most_dynamic;
}

cudaError_t describe(const void* function, cudaFuncAttributes* all) {
  Kernel* kernel;
  if (!all) return cudaErrorInvalidValue;
  if (const cudaError_t status = find(function, kernel)) return status;
  *all = {};
  all->sharedSizeBytes = kernel->shared;
  all->localSizeBytes = kernel->local;
  all->maxThreadsPerBlock = kernel->threads ? static_cast<int>(kernel->threads) : facts::BLOCK_THREADS;
  all->numRegs = facts::THREAD_REGISTERS;
  all->ptxVersion = all->binaryVersion = facts::MAJOR * 10 + facts::MINOR;
  all->maxDynamicSharedSizeBytes = dynamic_limit(*kernel);
  all->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return cudaSuccess;
}

cudaError_t set(const void* function, cudaFuncAttribute which, int value) {
  Kernel* kernel;
  if (const cudaError_t status = find(function, kernel)) return status;
  switch (which) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || value > facts::BLOCK_SHARED_OPTIN - static_cast<int>(kernel->shared))
        return cudaErrorInvalidValue;
      kernel->most_dynamic = value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:  // a hint, in percent
      return value < cudaSharedmemCarveoutDefault || value > 100 ? cudaErrorInvalidValue : cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return not_simulated();
    default:
      return cudaErrorInvalidValue;
  }
}

uint64_t whole(uint64_t amount, uint64_t unit) { return (amount + unit - 1) / unit * unit; }

// As grader.toolchain.occupancy computes it.
int blocks_at_once(const Kernel& kernel, uint64_t threads, uint64_t dynamic) {
  using namespace facts;
  const uint64_t most = kernel.threads ? kernel.threads : BLOCK_THREADS;
  if (threads > most || dynamic > static_cast<uint64_t>(dynamic_limit(kernel))) return 0;
  const uint64_t warps = whole(threads, WARP) / WARP;
  const uint64_t warp_registers = whole(uint64_t{THREAD_REGISTERS} * WARP, REGISTER_UNIT);
  const uint64_t by_registers = SM_REGISTERS / SM_PARTITIONS / warp_registers * SM_PARTITIONS / warps;
  const uint64_t by_shared = SM_SHARED / whole(kernel.shared + dynamic + RESERVED_SHARED, SHARED_UNIT);
  const uint64_t by_warps = SM_THREADS / WARP / warps;
  return static_cast<int>(std::min({uint64_t{SM_BLOCKS}, by_registers, by_shared, by_warps}));
}

cudaError_t occupancy(int* blocks, const void* function, int threads, size_t dynamic) {
  Kernel* kernel;
  if (!blocks || threads < 1) return cudaErrorInvalidValue;
  if (const cudaError_t status = find(function, kernel)) return status;
  *blocks = blocks_at_once(*kernel, static_cast<uint64_t>(threads), dynamic);
  return cudaSuccess;
}

// The most dynamic shared memory with which so many blocks run at once.
cudaError_t available(size_t* dynamic, const void* function, int blocks, int threads) {
  using namespace facts;
  Kernel* kernel;
  if (!dynamic || blocks < 1 || threads < 1) return cudaErrorInvalidValue;
  if (const cudaError_t status = find(function, kernel)) return status;
  if (blocks_at_once(*kernel, static_cast<uint64_t>(threads), 0) < blocks) return cudaErrorInvalidValue;
  const uint64_t each = uint64_t{SM_SHARED} / static_cast<uint64_t>(blocks) / SHARED_UNIT * SHARED_UNIT;
  const uint64_t left = each > RESERVED_SHARED + kernel->shared ? each - RESERVED_SHARED - kernel->shared : 0;
  *dynamic = std::min<uint64_t>(left, BLOCK_SHARED_OPTIN - kernel->shared);
  return cudaSuccess;
}

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* all, const void* function) {
  return api(Function::cudaFuncGetAttributes, [&] { return describe(function, all); });
}

EXPORTED cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute which, int value) {
  return api(Function::cudaFuncSetAttribute, [&] { return set(function, which, value); });
}

EXPORTED cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute which, int value,
                                                     int device) {
  return api(Function::cudaKernelSetAttributeForDevice,
             [&] { return device == 0 ? set(kernel, which, value) : cudaErrorInvalidDevice; });
}

EXPORTED cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return api(Function::cudaFuncSetCacheConfig, [&] { return known(function); });
}

EXPORTED cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return api(Function::cudaFuncSetSharedMemConfig, [&] { return known(function); });
}

EXPORTED cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api(Function::cudaFuncGetName, [&] {
    Kernel* kernel;
    if (!name) return cudaErrorInvalidValue;
    if (const cudaError_t status = known(function, kernel)) return status;
    *name = kernel->name.c_str();
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes) {
  return api(Function::cudaFuncGetParamInfo, [&] {
    Kernel* kernel;
    if (!offset) return cudaErrorInvalidValue;
    if (const cudaError_t status = find(function, kernel)) return status;
    if (index >= kernel->parameters.size()) return cudaErrorInvalidValue;
    *offset = kernel->parameters[index].offset;
    if (bytes) *bytes = kernel->parameters[index].bytes;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                                   size_t dynamic) {
  return api(Function::cudaOccupancyMaxActiveBlocksPerMultiprocessor,
             [&] { return occupancy(blocks, function, threads, dynamic); });
}

EXPORTED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                            int threads, size_t dynamic,
                                                                            unsigned flags) {
  return api(Function::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, [&] {
    if (flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
    return occupancy(blocks, function, threads, dynamic);
  });
}

EXPORTED cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamic, const void* function, int blocks,
                                                               int threads) {
  return api(Function::cudaOccupancyAvailableDynamicSMemPerBlock,
             [&] { return available(dynamic, function, blocks, threads); });
}
