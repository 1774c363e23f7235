// The host's page-locked memory: cudaMallocHost, cudaHostAlloc, cudaHostRegister.
#pragma once

#include <cstddef>
#include <cstdint>

namespace grader {

enum class Host {
  PAGEABLE,
  PINNED,
  BEYOND,  // begins in page-locked memory and ends outside of it: CUDA refuses to copy it
};

Host kind_of_host(const void* address, uint64_t bytes);

// Writes what a copy from the device brings. What was allocated page-locked and freed meanwhile is left alone.
void write_to_host(uint64_t address, const std::byte* data, uint64_t bytes);

}  // namespace grader
