#include "call.h"

#include <atomic>

namespace grader {

Thread& thread() {
  static std::atomic<uint32_t> count{0};
  thread_local Thread& own = *new Thread(++count);  // stays: libraries call while the thread ends
  return own;
}

cudaError_t enter(Function function) {
  Thread& own = thread();
  own.function = function;
  own.asked = false;
  if (cudaError_t status = connection()) return status;
  return own.in_host_function ? cudaErrorNotPermitted : cudaSuccess;
}

cudaError_t leave(cudaError_t status) {
  Thread& own = thread();
  if (!own.asked && connection() == cudaSuccess) ask(Call::NOTE, {ANSWERED, static_cast<uint64_t>(status)});
  if (status != cudaSuccess) own.last = status;
  own.function = Function::none;
  return status;
}

cudaError_t may_be_called() { return ask(Call::NOTE, {MAY_BE_CALLED}).status; }

cudaError_t not_simulated() {
  ask(Call::NOTE, {NOT_SIMULATED, cudaErrorNotSupported});
  return cudaErrorNotSupported;
}

// For stubs.cpp, which knows no types of CUDA.
int refuse(unsigned function);
int refuse(unsigned function) {
  return api(static_cast<Function>(function), [] { return not_simulated(); });
}

}  // namespace grader
