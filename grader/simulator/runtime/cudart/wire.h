// The socket to the device process: one request at a time, whatever thread asks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cudart.h"
#include "protocol.h"

namespace grader {

struct Bytes {
  const void* data = nullptr;
  uint64_t size = 0;
};

struct Answer {
  cudaError_t status = cudaSuccess;
  std::array<uint64_t, 4> values{};
  std::vector<std::byte> payload{};  // empty where it was deliveries: they are where they belong
};

// Connects at the first call: with the descriptor of the program's argument --device=N, unless graderRuntimeConnect
// gave one. Success, or why nothing can be asked: cudaErrorNoDevice (no connection was ever given),
// cudaErrorDevicesUnavailable (the device process has ended), cudaErrorInitializationError (a forked child: the
// connection is its parent's).
cudaError_t connection();

// Sends a request for the calling thread and waits for the answer. Copies to the host that come with it are made, and
// host functions whose turn has come are run, by this thread. A status of `connection` where nothing can be asked.
Answer ask(Call call, std::array<uint64_t, 8> arguments = {}, Bytes payload = {});

}  // namespace grader
