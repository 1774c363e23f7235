// What every function of the API does before and after its own work.
#pragma once

#include <new>
#include <vector>

#include "functions.h"
#include "turns.h"
#include "wire.h"

namespace grader {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};

struct Thread {
  explicit Thread(uint32_t own_number) : number(own_number) {}

  uint32_t number;  // from 1, in the order of first calls
  Function function = Function::none;  // of the API, that the thread is in
  bool asked = false;  // the function has sent a request
  bool in_host_function = false;  // of a stream: may not call CUDA
  cudaError_t last = cudaSuccess;  // cudaGetLastError
  std::vector<CallConfiguration> pushed;  // <<<...>>>, until its stub pops it
};

Thread& thread();

// Begins a call: why it is refused at once, or success.
cudaError_t enter(Function function);

// Ends a call: leaves a note if no request did, keeps the error, passes the turn on. Returns `status`.
cudaError_t leave(cudaError_t status);

// Runs `body` as the function of the API. It returns a cudaError_t, which becomes the thread's last error.
template <class Body>
cudaError_t api(Function function, Body body) {
  const Turn turn;
  cudaError_t status = enter(function);
  if (status != cudaSuccess) return leave(status);
  try {
    status = body();
  } catch (const std::bad_alloc&) {
    status = cudaErrorMemoryAllocation;  // of the host's memory
  }
  return leave(status);
}

// Whether a call that CUDA calls unsafe while a stream is captured may be made now; the call returns another status.
cudaError_t may_be_called();

// For calls that cannot be simulated: says so in the log. cudaErrorNotSupported.
cudaError_t not_simulated();

}  // namespace grader
