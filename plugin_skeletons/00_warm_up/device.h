// Device memory, as cudaMalloc, cudaMemcpy and cudaFree give it. The grader counts the calls.
// Supplied: read it, leave it as it is.
#pragma once

#include <cstddef>

// Memory on the device, uninitialised. The host cannot follow the pointer: reading *memory here is a crash.
void* deviceAlloc(std::size_t bytes) noexcept;

// Copy between host and device or within the device, whichever the two pointers say.
void deviceCopy(void* to, void const* from, std::size_t bytes) noexcept;

// Give memory back. deviceFree(nullptr) does nothing; giving back the same memory twice is an error.
void deviceFree(void* memory) noexcept;
