#include "host_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "addresses.h"
#include "call.h"

namespace grader {
namespace {

struct Range {
  uint64_t bytes;
  unsigned flags;
  bool registered;  // by cudaHostRegister, else allocated here
  bool freed;       // its addresses are kept out of use, so that later touches fault
};

std::mutex& mutex = *new std::mutex;
auto& ranges = *new std::map<uint64_t, Range>;  // by address

// The range that `address` lies in, or end().
auto around(uint64_t address) {
  auto next = ranges.upper_bound(address);
  if (next == ranges.begin()) return ranges.end();
  const auto found = std::prev(next);
  return address - found->first < found->second.bytes ? found : ranges.end();
}



constexpr uint64_t PAGE = 4096;
uint64_t whole_pages(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

cudaError_t allocate(void** pointer, size_t bytes, unsigned flags) {
  if (!pointer || flags & ~7u) return cudaErrorInvalidValue;
  if (flags & cudaHostAllocMapped) return not_simulated();
  if (const cudaError_t status = may_be_called()) return status;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > DEVICE_BYTES) return cudaErrorMemoryAllocation;
  void* memory = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return cudaErrorMemoryAllocation;
  const std::lock_guard lock(mutex);
  ranges[address_of(memory)] = {bytes, flags, false, false};
  *pointer = memory;
  return cudaSuccess;
}

}  // namespace

Host kind_of_host(const void* address, uint64_t bytes) {
  const std::lock_guard lock(mutex);
  const auto found = around(address_of(address));
  if (found == ranges.end() || found->second.freed) return Host::PAGEABLE;
  return address_of(address) - found->first + bytes <= found->second.bytes ? Host::PINNED : Host::BEYOND;
}

void write_to_host(uint64_t address, const std::byte* data, uint64_t bytes) {
  {
    const std::lock_guard lock(mutex);
    const auto found = around(address);
    if (found != ranges.end() && found->second.freed) return;
  }
  memcpy(reinterpret_cast<void*>(address), data, bytes);
}

}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return api(Function::cudaMallocHost, [&] { return allocate(pointer, bytes, cudaHostAllocDefault); });
}

EXPORTED cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return api(Function::cudaHostAlloc, [&] { return allocate(pointer, bytes, flags); });
}

EXPORTED cudaError_t cudaFreeHost(void* pointer) {
  return api(Function::cudaFreeHost, [&] {
    if (!pointer) return cudaSuccess;
    if (const cudaError_t status = may_be_called()) return status;
    const std::lock_guard lock(mutex);
    const auto found = ranges.find(address_of(pointer));
    if (found == ranges.end() || found->second.registered || found->second.freed) return cudaErrorInvalidValue;
    found->second.freed = true;
    mmap(pointer, whole_pages(found->second.bytes), PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return api(Function::cudaHostRegister, [&] {
    if (!pointer || bytes == 0 || flags & ~15u || on_device(pointer)) return cudaErrorInvalidValue;
    if (flags & (cudaHostRegisterMapped | cudaHostRegisterIoMemory)) return not_simulated();
    if (const cudaError_t status = may_be_called()) return status;
    const std::lock_guard lock(mutex);
    const auto next = ranges.lower_bound(address_of(pointer));
    const bool reaches_next = next != ranges.end() && next->first - address_of(pointer) < bytes;
    if (reaches_next || around(address_of(pointer)) != ranges.end()) return cudaErrorHostMemoryAlreadyRegistered;
    ranges[address_of(pointer)] = {bytes, flags, true, false};
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaHostUnregister(void* pointer) {
  return api(Function::cudaHostUnregister, [&] {
    if (!pointer) return cudaErrorInvalidValue;
    if (const cudaError_t status = may_be_called()) return status;
    const std::lock_guard lock(mutex);
    const auto found = ranges.find(address_of(pointer));
    if (found == ranges.end() || !found->second.registered) return cudaErrorHostMemoryNotRegistered;
    ranges.erase(found);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return api(Function::cudaHostGetFlags, [&] {
    if (!flags) return cudaErrorInvalidValue;
    const std::lock_guard lock(mutex);
    const auto found = ranges.find(address_of(pointer));
    if (found == ranges.end() || found->second.registered || found->second.freed) return cudaErrorInvalidValue;
    *flags = found->second.flags;
    return cudaSuccess;
  });
}
