#include "gpu.h"

#include <map>

#include <unistd.h>

#include "cuda.h"

namespace host {
namespace {

// Every function that is used, found in whichever runtime is loaded.
struct Functions {
  decltype(&cudaFree) free = cudaFunction<decltype(free)>("cudaFree");
  cudaError_t (*malloc)(void**, size_t) = cudaFunction<decltype(malloc)>("cudaMalloc");
  decltype(&cudaMemcpy) copy = cudaFunction<decltype(copy)>("cudaMemcpy");
  decltype(&cudaMemcpyAsync) copyAsync = cudaFunction<decltype(copyAsync)>("cudaMemcpyAsync");
  decltype(&cudaMemset) set = cudaFunction<decltype(set)>("cudaMemset");
  cudaError_t (*stream)(cudaStream_t*, unsigned) = cudaFunction<decltype(stream)>("cudaStreamCreateWithFlags");
  decltype(&cudaStreamSynchronize) wait = cudaFunction<decltype(wait)>("cudaStreamSynchronize");
  decltype(&cudaDeviceSynchronize) waitAll = cudaFunction<decltype(waitAll)>("cudaDeviceSynchronize");
  decltype(&cudaLaunchHostFunc) hostFunction = cudaFunction<decltype(hostFunction)>("cudaLaunchHostFunc");
  cudaError_t (*begin)(cudaStream_t, cudaStreamCaptureMode) = cudaFunction<decltype(begin)>("cudaStreamBeginCapture");
  decltype(&cudaStreamEndCapture) end = cudaFunction<decltype(end)>("cudaStreamEndCapture");
  cudaError_t (*instantiate)(cudaGraphExec_t*, cudaGraph_t, unsigned long long) =
      cudaFunction<decltype(instantiate)>("cudaGraphInstantiateWithFlags");
  decltype(&cudaGraphLaunch) launch = cudaFunction<decltype(launch)>("cudaGraphLaunch");
  decltype(&cudaGetLastError) lastError = cudaFunction<decltype(lastError)>("cudaGetLastError");
  decltype(&cudaMemGetInfo) memory = cudaFunction<decltype(memory)>("cudaMemGetInfo");
};

const Functions& cuda() {
  static const Functions functions;
  return functions;
}

void* address(const Value& value) { return reinterpret_cast<void*>(value.integer()); }
cudaStream_t streamOf(const Value& value) { return reinterpret_cast<cudaStream_t>(value.integer()); }
Value number(const void* pointer) { return reinterpret_cast<int64_t>(pointer); }

Value allocate(const Value& a) {
  void* made = nullptr;
  const cudaError_t status = cuda().malloc(&made, static_cast<size_t>(a[1].integer()));
  return List{static_cast<int32_t>(status), number(made)};
}

Value read(const Value& a) {
  std::string bytes(static_cast<size_t>(a[2].integer()), '\0');
  const cudaError_t status = cuda().copy(bytes.data(), address(a[1]), bytes.size(), cudaMemcpyDeviceToHost);
  return List{static_cast<int32_t>(status), Value::bytes(bytes.data(), bytes.size())};
}

Value newStream(const Value& a) {
  cudaStream_t made = nullptr;
  const cudaError_t status = cuda().stream(&made, static_cast<unsigned>(a[1].integer()));
  return List{static_cast<int32_t>(status), number(made)};
}

void sleepInStream(void* microseconds) { usleep(static_cast<useconds_t>(reinterpret_cast<uintptr_t>(microseconds))); }

Value endCapture(const Value& a) {  // the executable graph
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t made = nullptr;
  cudaError_t status = cuda().end(streamOf(a[1]), &graph);
  if (status == cudaSuccess) status = cuda().instantiate(&made, graph, 0);
  return List{static_cast<int32_t>(status), number(made)};
}

Value freeMemory(const Value&) {
  size_t free = 0, total = 0;
  const cudaError_t status = cuda().memory(&free, &total);
  return List{static_cast<int32_t>(status), static_cast<uint64_t>(free)};
}

Value only(cudaError_t status) { return List{static_cast<int32_t>(status), Value()}; }

using Operation = Value (*)(const Value&);
const std::map<std::string, Operation> kOperations = {
    {"alloc", allocate},
    {"free", [](const Value& a) { return only(cuda().free(address(a[1]))); }},
    {"write",
     [](const Value& a) {
       return only(cuda().copy(address(a[1]), a[2].text().data(), a[2].text().size(), cudaMemcpyHostToDevice));
     }},
    {"read", read},
    {"fill",
     [](const Value& a) { return only(cuda().set(address(a[1]), a[2].small(), static_cast<size_t>(a[3].integer()))); }},
    {"stream", newStream},
    {"copy",  // on a stream, within the device: to, from, bytes, stream
     [](const Value& a) {
       return only(cuda().copyAsync(address(a[1]), address(a[2]), static_cast<size_t>(a[3].integer()),
                                    cudaMemcpyDeviceToDevice, streamOf(a[4])));
     }},
    {"delay",  // stream, microseconds: what follows on the stream comes that much later
     [](const Value& a) { return only(cuda().hostFunction(streamOf(a[1]), sleepInStream, address(a[2]))); }},
    {"synchronize",
     [](const Value& a) { return only(a[1].isNull() ? cuda().waitAll() : cuda().wait(streamOf(a[1]))); }},
    {"begin-capture",
     [](const Value& a) { return only(cuda().begin(streamOf(a[1]), static_cast<cudaStreamCaptureMode>(a[2].small()))); }},
    {"end-capture", endCapture},
    {"launch-graph",
     [](const Value& a) {
       return only(cuda().launch(reinterpret_cast<cudaGraphExec_t>(a[1].integer()), streamOf(a[2])));
     }},
    {"last-error", [](const Value&) { return only(cuda().lastError()); }},
    {"free-memory", freeMemory},
};

}  // namespace

Value onGpu(const Value& a, std::string& problem) {
  const auto found = kOperations.find(a[0].text());
  if (found != kOperations.end()) return found->second(a);
  problem = "there is no operation " + a[0].text();
  return Value();
}

}  // namespace host
