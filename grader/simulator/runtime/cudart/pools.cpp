// The memory pool that the device has from the start. Pools of one's own are not simulated.
#include <array>
#include <cstring>

#include "addresses.h"
#include "call.h"
#include "memory.h"

namespace grader {
namespace {

// Reuse of memory, and how much is kept: without effect here, but kept as set. CUDA's own first values.
auto& settings = *new std::array<uint64_t, 5>{0, 1, 1, 1, 0};  // by cudaMemPoolAttr, from 1 to 4

cudaMemPool_t pool() { return reinterpret_cast<cudaMemPool_t>(&settings); }

cudaError_t find(cudaMemPool_t* found, int device) {
  if (!found) return cudaErrorInvalidValue;
  if (device != 0) return cudaErrorInvalidDevice;
  *found = pool();
  return cudaSuccess;
}

bool is_setting(cudaMemPoolAttr which) { return which >= 1 && which <= cudaMemPoolAttrReleaseThreshold; }

// The threshold is a cuuint64_t, the others are int.
size_t bytes_of(cudaMemPoolAttr which) {
  return which == cudaMemPoolAttrReleaseThreshold ? sizeof(uint64_t) : sizeof(int);
}

cudaError_t allocate_from(cudaMemPool_t from, void** pointer, size_t bytes, cudaStream_t stream) {
  return from == pool() ? allocate_on(pointer, bytes, stream) : cudaErrorInvalidValue;
}

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* found, int device) {
  return api(Function::cudaDeviceGetDefaultMemPool, [&] { return find(found, device); });
}

EXPORTED cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* found, int device) {
  return api(Function::cudaDeviceGetMemPool, [&] { return find(found, device); });
}

EXPORTED cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t chosen) {
  return api(Function::cudaDeviceSetMemPool, [&] {
    if (device != 0) return cudaErrorInvalidDevice;
    return chosen == pool() ? cudaSuccess : cudaErrorInvalidValue;
  });
}

EXPORTED cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t of, cudaMemPoolAttr which, void* value) {
  return api(Function::cudaMemPoolSetAttribute, [&] {
    if (of != pool() || !value) return cudaErrorInvalidValue;
    if (!is_setting(which)) return not_simulated();
    memcpy(&settings[which], value, bytes_of(which));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t of, cudaMemPoolAttr which, void* value) {
  return api(Function::cudaMemPoolGetAttribute, [&] {
    if (of != pool() || !value) return cudaErrorInvalidValue;
    if (!is_setting(which)) return not_simulated();
    memcpy(value, &settings[which], bytes_of(which));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemPoolTrimTo(cudaMemPool_t of, size_t) {
  return api(Function::cudaMemPoolTrimTo, [&] { return of == pool() ? cudaSuccess : cudaErrorInvalidValue; });
}

EXPORTED cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t from, cudaStream_t stream) {
  return api(Function::cudaMallocFromPoolAsync, [&] { return allocate_from(from, pointer, bytes, stream); });
}

PER_THREAD(cudaMallocFromPoolAsync, _ptsz);
cudaError_t cudaMallocFromPoolAsync_ptsz(void** pointer, size_t bytes, cudaMemPool_t from, cudaStream_t stream) {
  return api(Function::cudaMallocFromPoolAsync_ptsz,
             [&] { return allocate_from(from, pointer, bytes, own_stream(stream)); });
}
