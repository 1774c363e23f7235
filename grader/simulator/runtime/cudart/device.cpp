// The device: how many, which, what it is, and its limits.
#include "device_facts.h"

#include <array>
#include <cstring>
#include <iterator>
#include <map>

#include "call.h"
#include "cuda12.h"
#include "modules.h"

namespace grader {
namespace {

// What is not here is 0: texture sizes among them, for textures are not simulated.
const std::map<int, int>& attributes() {
  using namespace facts;
  static const auto& all = *new std::map<int, int>{
      {cudaDevAttrMaxThreadsPerBlock, BLOCK_THREADS},
      {cudaDevAttrMaxBlockDimX, BLOCK[0]},
      {cudaDevAttrMaxBlockDimY, BLOCK[1]},
      {cudaDevAttrMaxBlockDimZ, BLOCK[2]},
      {cudaDevAttrMaxGridDimX, GRID[0]},
      {cudaDevAttrMaxGridDimY, GRID[1]},
      {cudaDevAttrMaxGridDimZ, GRID[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, BLOCK_SHARED},
      {cudaDevAttrTotalConstantMemory, CONSTANT_BYTES},
      {cudaDevAttrWarpSize, WARP},
      {cudaDevAttrMaxPitch, 2147483647},
      {cudaDevAttrMaxRegistersPerBlock, SM_REGISTERS},
      {cudaDevAttrClockRate, CLOCK_KHZ},
      {cudaDevAttrTextureAlignment, 512},
      {cudaDevAttrTexturePitchAlignment, 32},
      {cudaDevAttrSurfaceAlignment, 512},
      {cudaDevAttrGpuOverlap, 1},
      {cudaDevAttrMultiProcessorCount, SM_COUNT},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrMemoryClockRate, MEMORY_CLOCK_KHZ},
      {cudaDevAttrGlobalMemoryBusWidth, MEMORY_BUS_BITS},
      {cudaDevAttrL2CacheSize, L2_BYTES},
      {cudaDevAttrMaxThreadsPerMultiProcessor, SM_THREADS},
      {cudaDevAttrAsyncEngineCount, 3},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrComputeCapabilityMajor, MAJOR},
      {cudaDevAttrComputeCapabilityMinor, MINOR},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrGlobalL1CacheSupported, 1},
      {cudaDevAttrLocalL1CacheSupported, 1},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, SM_SHARED},
      {cudaDevAttrMaxRegistersPerMultiprocessor, SM_REGISTERS},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
      {cudaDevAttrComputePreemptionSupported, 1},
      {cudaDevAttrCooperativeLaunch, 1},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, BLOCK_SHARED_OPTIN},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrMaxBlocksPerMultiprocessor, SM_BLOCKS},
      {cudaDevAttrReservedSharedMemoryPerBlock, RESERVED_SHARED},
      {cudaDevAttrMemoryPoolsSupported, 1},
      {cudaDevAttrMemSyncDomainCount, 1},
      {cudaDevAttrNumaId, -1},
      {cudaDevAttrHostNumaId, -1},
  };
  return all;
}

int attribute(cudaDeviceAttr which) {
  const auto found = attributes().find(which);
  return found == attributes().end() ? 0 : found->second;
}

// What CUDA 12's and CUDA 13's structure have in common.
template <class Properties>
cudaError_t describe(Properties* all, int device) {
  using namespace facts;
  if (!all) return cudaErrorInvalidValue;
  if (device != 0) return cudaErrorInvalidDevice;
  const Answer memory = ask(Call::MEMORY_INFO);
  if (memory.status != cudaSuccess) return memory.status;
  *all = {};
  strncpy(all->name, NAME, sizeof all->name - 1);
  memcpy(all->uuid.bytes, "simulated gpu 80", sizeof all->uuid.bytes);
  all->totalGlobalMem = memory.values[1];
  all->sharedMemPerBlock = BLOCK_SHARED;
  all->sharedMemPerBlockOptin = BLOCK_SHARED_OPTIN;
  all->reservedSharedMemPerBlock = RESERVED_SHARED;
  all->sharedMemPerMultiprocessor = SM_SHARED;
  all->regsPerBlock = all->regsPerMultiprocessor = SM_REGISTERS;
  all->warpSize = WARP;
  all->memPitch = static_cast<size_t>(attribute(cudaDevAttrMaxPitch));
  all->maxThreadsPerBlock = BLOCK_THREADS;
  std::copy(std::begin(BLOCK), std::end(BLOCK), all->maxThreadsDim);
  std::copy(std::begin(GRID), std::end(GRID), all->maxGridSize);
  all->totalConstMem = CONSTANT_BYTES;
  all->major = MAJOR, all->minor = MINOR;
  all->textureAlignment = all->surfaceAlignment = static_cast<size_t>(attribute(cudaDevAttrTextureAlignment));
  all->texturePitchAlignment = static_cast<size_t>(attribute(cudaDevAttrTexturePitchAlignment));
  all->multiProcessorCount = SM_COUNT;
  all->concurrentKernels = 1;
  all->asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);
  all->unifiedAddressing = 1;
  all->memoryBusWidth = MEMORY_BUS_BITS;
  all->l2CacheSize = L2_BYTES;
  all->maxThreadsPerMultiProcessor = SM_THREADS;
  all->maxBlocksPerMultiProcessor = SM_BLOCKS;
  all->streamPrioritiesSupported = all->globalL1CacheSupported = all->localL1CacheSupported = 1;
  all->computePreemptionSupported = all->cooperativeLaunch = 1;
  all->hostRegisterSupported = all->memoryPoolsSupported = 1;
  return cudaSuccess;
}

// cudaDeviceSetLimit; each with CUDA's own value before it is set.
auto& limits = *new std::array<size_t, 3>{1024, 1 << 20, 8 << 20};  // stack, printf's buffer, the kernels' heap

cudaError_t limit(cudaLimit which, size_t*& found) {
  if (which < 0 || which > cudaLimitPersistingL2CacheSize) return cudaErrorInvalidValue;
  if (which > cudaLimitMallocHeapSize) return cudaErrorUnsupportedLimit;
  found = &limits[static_cast<size_t>(which)];
  return cudaSuccess;
}

cudaError_t only_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

unsigned device_flags = cudaDeviceScheduleAuto;

template <class Value>
cudaError_t tell(Value* result, Value value) {
  if (!result) return cudaErrorInvalidValue;
  *result = value;
  return cudaSuccess;
}

cudaError_t synchronize() { return ask(Call::DEVICE_SYNCHRONIZE).status; }

cudaError_t reset() {
  const cudaError_t status = ask(Call::DEVICE_RESET).status;
  if (status != cudaSuccess) return status;
  forget_what_is_loaded();
  thread().last = cudaSuccess;
  return cudaSuccess;
}

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaGetDeviceCount(int* count) {
  if (count) *count = 0;  // stays so where there is none
  return api(Function::cudaGetDeviceCount, [&] { return tell(count, 1); });
}

EXPORTED cudaError_t cudaGetDevice(int* device) {
  return api(Function::cudaGetDevice, [&] { return tell(device, 0); });
}

EXPORTED cudaError_t cudaSetDevice(int device) {
  return api(Function::cudaSetDevice, [&] { return only_device(device); });
}

EXPORTED cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return api(Function::cudaInitDevice, [&] { return only_device(device); });
}

EXPORTED cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return api(Function::cudaChooseDevice, [&] { return wanted ? tell(device, 0) : cudaErrorInvalidValue; });
}

EXPORTED cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api(Function::cudaSetDeviceFlags, [&] {
    if (flags & ~unsigned{cudaDeviceMask}) return cudaErrorInvalidValue;
    device_flags = flags;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api(Function::cudaGetDeviceFlags, [&] { return tell(flags, device_flags); });
}

EXPORTED cudaError_t cudaGetDeviceProperties(cudaDeviceProp* all, int device) {
  return api(Function::cudaGetDeviceProperties, [&] { return describe(all, device); });
}

EXPORTED cudaError_t cudaGetDeviceProperties_v2(cuda12::DeviceProperties* all, int device) {
  return api(Function::cudaGetDeviceProperties_v2, [&] {
    const cudaError_t status = describe(all, device);
    if (status != cudaSuccess) return status;
    all->clockRate = facts::CLOCK_KHZ;
    all->memoryClockRate = facts::MEMORY_CLOCK_KHZ;
    all->deviceOverlap = 1;
    all->singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return api(Function::cudaDeviceGetAttribute, [&] {
    if (which < 1 || which >= cudaDevAttrMax) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    return tell(value, attribute(which));
  });
}

EXPORTED cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api(Function::cudaDeviceGetStreamPriorityRange, [&] {  // either may be null
    if (least) *least = facts::LEAST_PRIORITY;
    if (greatest) *greatest = facts::GREATEST_PRIORITY;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceGetPCIBusId(char* id, int room, int device) {
  return api(Function::cudaDeviceGetPCIBusId, [&] {
    constexpr char ID[] = "0000:00:00.0";
    if (!id || room < static_cast<int>(sizeof ID)) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    memcpy(id, ID, sizeof ID);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int) {
  return api(Function::cudaDeviceCanAccessPeer, [&] { return device == 0 ? tell(can, 0) : cudaErrorInvalidDevice; });
}

EXPORTED cudaError_t cudaDeviceSetLimit(cudaLimit which, size_t value) {
  return api(Function::cudaDeviceSetLimit, [&] {
    size_t* found;
    if (const cudaError_t status = limit(which, found)) return status;
    *found = value;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit which) {
  return api(Function::cudaDeviceGetLimit, [&] {
    size_t* found;
    if (const cudaError_t status = limit(which, found)) return status;
    return tell(value, *found);
  });
}

EXPORTED cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api(Function::cudaDeviceGetCacheConfig, [&] { return tell(config, cudaFuncCachePreferNone); });
}

// Preferences only, as are the sizes of banks, which this architecture has no choice of.
EXPORTED cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return api(Function::cudaDeviceSetCacheConfig, [] { return cudaSuccess; });
}

EXPORTED cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return api(Function::cudaDeviceSetSharedMemConfig, [] { return cudaSuccess; });
}

EXPORTED cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return api(Function::cudaDeviceGetSharedMemConfig, [&] { return tell(config, cudaSharedMemBankSizeFourByte); });
}

EXPORTED cudaError_t cudaDeviceSynchronize() {
  return api(Function::cudaDeviceSynchronize, [] { return synchronize(); });
}

EXPORTED cudaError_t cudaDeviceReset() {
  return api(Function::cudaDeviceReset, [] { return reset(); });
}

// CUDA 12's older names.
EXPORTED cudaError_t cudaThreadSynchronize() {
  return api(Function::cudaThreadSynchronize, [] { return synchronize(); });
}

EXPORTED cudaError_t cudaThreadExit() {
  return api(Function::cudaThreadExit, [] { return reset(); });
}

EXPORTED cudaError_t cudaProfilerStart() {
  return api(Function::cudaProfilerStart, [] { return cudaSuccess; });
}

EXPORTED cudaError_t cudaProfilerStop() {
  return api(Function::cudaProfilerStop, [] { return cudaSuccess; });
}

EXPORTED cudaError_t cudaDriverGetVersion(int* version) {
  return api(Function::cudaDriverGetVersion, [&] { return tell(version, facts::DRIVER_VERSION); });
}

EXPORTED cudaError_t cudaRuntimeGetVersion(int* version) {
  return api(Function::cudaRuntimeGetVersion, [&] { return tell(version, facts::RUNTIME_VERSION); });
}

EXPORTED cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
