// Events.
#include <cstring>

#include "addresses.h"
#include "call.h"

namespace grader {
namespace {

constexpr unsigned FLAGS = cudaEventBlockingSync | cudaEventDisableTiming;

cudaError_t create(cudaEvent_t* event, unsigned flags) {
  if (!event || flags & ~(FLAGS | cudaEventInterprocess)) return cudaErrorInvalidValue;
  if (flags & cudaEventInterprocess) return not_simulated();
  const Answer answer = ask(Call::EVENT_CREATE, {flags});
  if (answer.status == cudaSuccess) *event = static_cast<cudaEvent_t>(pointer_to(answer.values[0]));
  return answer.status;
}

cudaError_t ask_event(Call call, cudaEvent_t event) {
  return event ? ask(call, {address_of(event)}).status : cudaErrorInvalidResourceHandle;
}

cudaError_t record(cudaEvent_t event, cudaStream_t stream, unsigned flags = 0) {
  if (!event) return cudaErrorInvalidResourceHandle;
  if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
  return ask(Call::EVENT_RECORD, {address_of(event), stream_of(stream), flags}).status;
}

cudaError_t elapsed(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return cudaErrorInvalidValue;
  if (!start || !end) return cudaErrorInvalidResourceHandle;
  const Answer answer = ask(Call::EVENT_ELAPSED, {address_of(start), address_of(end)});
  if (answer.status != cudaSuccess) return answer.status;
  const auto bits = static_cast<uint32_t>(answer.values[0]);
  memcpy(milliseconds, &bits, sizeof bits);
  return cudaSuccess;
}

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return api(Function::cudaEventCreate, [&] { return create(event, cudaEventDefault); });
}

EXPORTED cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api(Function::cudaEventCreateWithFlags, [&] { return create(event, flags); });
}

EXPORTED cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api(Function::cudaEventDestroy, [&] { return ask_event(Call::EVENT_DESTROY, event); });
}

EXPORTED cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api(Function::cudaEventSynchronize, [&] { return ask_event(Call::EVENT_SYNCHRONIZE, event); });
}

EXPORTED cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api(Function::cudaEventQuery, [&] { return ask_event(Call::EVENT_QUERY, event); });
}

EXPORTED cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return api(Function::cudaEventRecord, [&] { return record(event, stream); });
}

PER_THREAD(cudaEventRecord, _ptsz);
cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return api(Function::cudaEventRecord_ptsz, [&] { return record(event, own_stream(stream)); });
}

EXPORTED cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return api(Function::cudaEventRecordWithFlags, [&] { return record(event, stream, flags); });
}

PER_THREAD(cudaEventRecordWithFlags, _ptsz);
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return api(Function::cudaEventRecordWithFlags_ptsz, [&] { return record(event, own_stream(stream), flags); });
}

EXPORTED cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api(Function::cudaEventElapsedTime, [&] { return elapsed(milliseconds, start, end); });
}

// CUDA 12.8 and later of 12.
EXPORTED cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api(Function::cudaEventElapsedTime_v2, [&] { return elapsed(milliseconds, start, end); });
}
