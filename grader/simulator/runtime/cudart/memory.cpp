// Device memory: allocating, freeing, and what a pointer points to.
#include "memory.h"

#include "addresses.h"
#include "call.h"
#include "host_memory.h"

namespace grader {
namespace {

constexpr size_t PITCH = 512;  // rows of cudaMallocPitch begin at multiples of so many bytes

cudaError_t allocate(void** pointer, size_t bytes) {
  *pointer = nullptr;  // so it stays for 0 bytes, with success
  const Answer answer = ask(Call::MALLOC, {bytes});
  if (answer.status == cudaSuccess) *pointer = pointer_to(answer.values[0]);
  return answer.status;
}

cudaError_t allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t rows) {
  const size_t row = (width + PITCH - 1) / PITCH * PITCH;
  size_t bytes;
  if (row < width || __builtin_mul_overflow(row, rows, &bytes)) return cudaErrorMemoryAllocation;
  *pitch = row;
  return allocate(pointer, bytes);
}

cudaError_t free_on(void* pointer, cudaStream_t stream) {
  if (!pointer) return cudaSuccess;
  return ask(Call::FREE_ASYNC, {address_of(pointer), stream_of(stream)}).status;
}

}  // namespace

cudaError_t allocate_on(void** pointer, size_t bytes, cudaStream_t stream) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const Answer answer = ask(Call::MALLOC_ASYNC, {bytes, stream_of(stream)});
  if (answer.status == cudaSuccess) *pointer = pointer_to(answer.values[0]);
  return answer.status;
}

}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return api(Function::cudaMalloc, [&] { return pointer ? allocate(pointer, bytes) : cudaErrorInvalidValue; });
}

EXPORTED cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return api(Function::cudaMallocPitch, [&] {
    return pointer && pitch ? allocate_pitched(pointer, pitch, width, height) : cudaErrorInvalidValue;
  });
}

EXPORTED cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return api(Function::cudaMalloc3D, [&] {
    size_t rows;
    if (!pitched) return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return cudaErrorMemoryAllocation;
    *pitched = {nullptr, 0, extent.width, extent.height};
    return allocate_pitched(&pitched->ptr, &pitched->pitch, extent.width, rows);
  });
}

// A capture refuses it for null too.
EXPORTED cudaError_t cudaFree(void* pointer) {
  return api(Function::cudaFree, [&] { return ask(Call::FREE, {address_of(pointer)}).status; });
}

EXPORTED cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return api(Function::cudaMallocAsync, [&] { return allocate_on(pointer, bytes, stream); });
}

PER_THREAD(cudaMallocAsync, _ptsz);
cudaError_t cudaMallocAsync_ptsz(void** pointer, size_t bytes, cudaStream_t stream) {
  return api(Function::cudaMallocAsync_ptsz, [&] { return allocate_on(pointer, bytes, own_stream(stream)); });
}

EXPORTED cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api(Function::cudaFreeAsync, [&] { return free_on(pointer, stream); });
}

PER_THREAD(cudaFreeAsync, _ptsz);
cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t stream) {
  return api(Function::cudaFreeAsync_ptsz, [&] { return free_on(pointer, own_stream(stream)); });
}

EXPORTED cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api(Function::cudaMemGetInfo, [&] {
    const Answer answer = ask(Call::MEMORY_INFO);
    if (answer.status != cudaSuccess) return answer.status;
    if (free) *free = answer.values[0];
    if (total) *total = answer.values[1];
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api(Function::cudaPointerGetAttributes, [&] {
    if (!attributes) return cudaErrorInvalidValue;
    *attributes = {};
    attributes->device = cudaInvalidDeviceId;
    if (kind_of_host(pointer, 1) == Host::PINNED) {
      attributes->type = cudaMemoryTypeHost;
      attributes->device = 0;
      attributes->hostPointer = attributes->devicePointer = const_cast<void*>(pointer);
      return cudaSuccess;
    }
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->hostPointer = const_cast<void*>(pointer);
    if (!on_device(pointer)) return cudaSuccess;
    const Answer answer = ask(Call::POINTER, {address_of(pointer)});
    if (answer.status != cudaSuccess || !answer.values[0]) return answer.status;
    attributes->type = cudaMemoryTypeDevice;
    attributes->device = 0;
    attributes->hostPointer = nullptr;
    attributes->devicePointer = const_cast<void*>(pointer);
    return cudaSuccess;
  });
}
