// Streams, what waits for them, and host functions in them.
#include "addresses.h"
#include "call.h"
#include "host_functions.h"

namespace grader {
namespace {

constexpr uint64_t CALLBACK = 1;  // a host function of cudaStreamAddCallback

cudaError_t create(cudaStream_t* stream, unsigned flags, int priority) {
  if (!stream || flags & ~unsigned{cudaStreamNonBlocking}) return cudaErrorInvalidValue;
  const Answer answer = ask(Call::STREAM_CREATE, {flags, static_cast<uint64_t>(int64_t{priority})});
  if (answer.status == cudaSuccess) *stream = static_cast<cudaStream_t>(pointer_to(answer.values[0]));
  return answer.status;
}

cudaError_t destroy(cudaStream_t stream) {
  if (stream_of(stream) <= PER_THREAD_STREAM) return cudaErrorInvalidResourceHandle;
  return ask(Call::STREAM_DESTROY, {stream_of(stream)}).status;
}

cudaError_t ask_stream(Call call, cudaStream_t stream) { return ask(call, {stream_of(stream)}).status; }

cudaError_t wait_event(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
  return ask(Call::STREAM_WAIT_EVENT, {stream_of(stream), address_of(event), flags}).status;
}

enum class Fact { FLAGS, PRIORITY };

template <class Value>
cudaError_t fact(cudaStream_t stream, Fact which, Value* value) {
  if (!value) return cudaErrorInvalidValue;
  const Answer answer = ask(Call::STREAM_FLAGS, {stream_of(stream)});
  if (answer.status == cudaSuccess) *value = static_cast<Value>(answer.values[which == Fact::PRIORITY]);
  return answer.status;
}

// What is the same for every stream that exists, or the stream's own number.
template <class Value>
cudaError_t known(cudaStream_t stream, Value* value, Value known_value) {
  if (!value) return cudaErrorInvalidValue;
  const cudaError_t status = ask(Call::STREAM_FLAGS, {stream_of(stream)}).status;
  if (status == cudaSuccess) *value = known_value;
  return status;
}

cudaError_t call_host(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (!function) return cudaErrorInvalidValue;
  const uint64_t token = keep_host_function([=] { function(data); });
  return ask(Call::HOST_FUNCTION, {stream_of(stream), token}).status;
}

cudaError_t add_callback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
  if (!callback || flags) return cudaErrorInvalidValue;
  const uint64_t token = keep_host_function([=] { callback(stream, cudaSuccess, data); });
  return ask(Call::HOST_FUNCTION, {stream_of(stream), token, CALLBACK}).status;
}

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return api(Function::cudaStreamCreate, [&] { return create(stream, cudaStreamDefault, 0); });
}

EXPORTED cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return api(Function::cudaStreamCreateWithFlags, [&] { return create(stream, flags, 0); });
}

EXPORTED cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api(Function::cudaStreamCreateWithPriority, [&] { return create(stream, flags, priority); });
}

EXPORTED cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api(Function::cudaStreamDestroy, [&] { return destroy(stream); });
}

EXPORTED cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api(Function::cudaStreamSynchronize, [&] { return ask_stream(Call::STREAM_SYNCHRONIZE, stream); });
}

PER_THREAD(cudaStreamSynchronize, _ptsz);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return api(Function::cudaStreamSynchronize_ptsz,
             [&] { return ask_stream(Call::STREAM_SYNCHRONIZE, own_stream(stream)); });
}

EXPORTED cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api(Function::cudaStreamQuery, [&] { return ask_stream(Call::STREAM_QUERY, stream); });
}

PER_THREAD(cudaStreamQuery, _ptsz);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  return api(Function::cudaStreamQuery_ptsz, [&] { return ask_stream(Call::STREAM_QUERY, own_stream(stream)); });
}

EXPORTED cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return api(Function::cudaStreamWaitEvent, [&] { return wait_event(stream, event, flags); });
}

PER_THREAD(cudaStreamWaitEvent, _ptsz);
cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return api(Function::cudaStreamWaitEvent_ptsz, [&] { return wait_event(own_stream(stream), event, flags); });
}

EXPORTED cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return api(Function::cudaStreamGetFlags, [&] { return fact(stream, Fact::FLAGS, flags); });
}

PER_THREAD(cudaStreamGetFlags, _ptsz);
cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned* flags) {
  return api(Function::cudaStreamGetFlags_ptsz, [&] { return fact(own_stream(stream), Fact::FLAGS, flags); });
}

EXPORTED cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return api(Function::cudaStreamGetPriority, [&] { return fact(stream, Fact::PRIORITY, priority); });
}

PER_THREAD(cudaStreamGetPriority, _ptsz);
cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int* priority) {
  return api(Function::cudaStreamGetPriority_ptsz, [&] { return fact(own_stream(stream), Fact::PRIORITY, priority); });
}

EXPORTED cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return api(Function::cudaStreamGetId, [&] { return known<unsigned long long>(stream, id, stream_of(stream)); });
}

PER_THREAD(cudaStreamGetId, _ptsz);
cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id) {
  return api(Function::cudaStreamGetId_ptsz, [&] {
    return known<unsigned long long>(own_stream(stream), id, stream_of(own_stream(stream)));
  });
}

EXPORTED cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return api(Function::cudaStreamGetDevice, [&] { return known(stream, device, 0); });
}

PER_THREAD(cudaStreamGetDevice, _ptsz);
cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int* device) {
  return api(Function::cudaStreamGetDevice_ptsz, [&] { return known(own_stream(stream), device, 0); });
}

EXPORTED cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return api(Function::cudaLaunchHostFunc, [&] { return call_host(stream, function, data); });
}

PER_THREAD(cudaLaunchHostFunc, _ptsz);
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return api(Function::cudaLaunchHostFunc_ptsz, [&] { return call_host(own_stream(stream), function, data); });
}

EXPORTED cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                           unsigned flags) {
  return api(Function::cudaStreamAddCallback, [&] { return add_callback(stream, callback, data, flags); });
}

PER_THREAD(cudaStreamAddCallback, _ptsz);
cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
  return api(Function::cudaStreamAddCallback_ptsz,
             [&] { return add_callback(own_stream(stream), callback, data, flags); });
}
