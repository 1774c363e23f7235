// What CUDA's runtime answers on a GPU where the documentation leaves it open: during captures, to bad arguments, after
// faults, and which calls wait for work. Prints lines of CSV, kept as h200_statuses.csv; test_measured.py compares.
//
//   nvcc -std=c++17 -arch=sm_90 -o measure measure_h200.cu
//   for what in captures arguments waits out_of_bounds misaligned trap assert null_pointer; do ./measure $what; done
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>
#include <cassert>
#include <chrono>
#include <cuda_runtime.h>

using Status = cudaError_t;

__device__ float variable[64];
__global__ void nothing(float* y) { if (y) y[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) bounded(float* y) { if (y) y[threadIdx.x] = 1; }
__global__ void dynamic(float* y) { extern __shared__ float s[]; s[threadIdx.x] = 1; if (y) y[0] = s[0]; }
__global__ void spin(long long cycles) { long long begin = clock64(); while (clock64() - begin < cycles) {} }
__global__ void out_of_bounds(float* y) { y[1ll << 34] = 1; }
__global__ void misaligned(float* y) { *reinterpret_cast<double*>(reinterpret_cast<char*>(y) + 4) = 1; }
__global__ void trapped(float* y) { __trap(); }
__global__ void asserted(float* y) { assert(y == nullptr); }
__global__ void null_write(float* y) { *reinterpret_cast<volatile float*>(y - y) = 1; }

struct World {
  cudaStream_t s, side, blocking;  // captured; others, not captured
  cudaEvent_t outside, fresh, inside;  // recorded before in side; never; in s during the capture
  float *memory, *more;
  char *pinned, pageable[256], *registered;
  void* pool;
  cudaGraph_t graph; cudaGraphExec_t exec;
};

static void noop(void*) {}
static void callback(cudaStream_t, cudaError_t, void*) {}

struct Case { const char* name; std::function<Status(World&)> call; };

static Status launch(cudaStream_t s, float* y) { nothing<<<1, 32, 0, s>>>(y); return cudaGetLastError(); }

static std::vector<Case> cases() {
  return {
    {"cudaMalloc", [](World&) { void* p; return cudaMalloc(&p, 256); }},
    {"cudaFree", [](World& w) { Status e = cudaFree(w.more); if (!e) w.more = nullptr; return e; }},
    {"cudaFree(null)", [](World&) { return cudaFree(nullptr); }},
    {"cudaMallocHost", [](World&) { void* p; return cudaMallocHost(&p, 256); }},
    {"cudaHostRegister", [](World& w) { return cudaHostRegister(w.registered, 4096, 0); }},
    {"cudaMallocAsync(s)", [](World& w) { void* p; return cudaMallocAsync(&p, 256, w.s); }},
    {"cudaMallocAsync(side)", [](World& w) { void* p; return cudaMallocAsync(&p, 256, w.side); }},
    {"cudaFreeAsync(outside's, s)", [](World& w) {
       Status e = cudaFreeAsync(w.pool, w.s); if (!e) w.pool = nullptr; return e; }},
    {"cudaFreeAsync(outside's, side)", [](World& w) {
       Status e = cudaFreeAsync(w.pool, w.side); if (!e) w.pool = nullptr; return e; }},
    {"cudaMemGetInfo", [](World&) { size_t a, b; return cudaMemGetInfo(&a, &b); }},
    {"cudaPointerGetAttributes", [](World& w) {
       cudaPointerAttributes a; return cudaPointerGetAttributes(&a, w.memory); }},
    {"cudaGetSymbolAddress", [](World&) { void* p; return cudaGetSymbolAddress(&p, variable); }},
    {"cudaFuncGetAttributes", [](World&) { cudaFuncAttributes a; return cudaFuncGetAttributes(&a, bounded); }},
    {"cudaFuncSetAttribute", [](World&) {
       return cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000); }},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", [](World&) {
       int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 64, 0); }},
    {"cudaDeviceGetAttribute", [](World&) {
       int n; return cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0); }},
    {"cudaGetDeviceProperties", [](World&) { cudaDeviceProp p; return cudaGetDeviceProperties(&p, 0); }},
    {"cudaSetDevice", [](World&) { return cudaSetDevice(0); }},
    {"cudaMemcpy(to device)", [](World& w) { return cudaMemcpy(w.memory, w.pageable, 64, cudaMemcpyHostToDevice); }},
    {"cudaMemcpy(to host)", [](World& w) { return cudaMemcpy(w.pageable, w.memory, 64, cudaMemcpyDeviceToHost); }},
    {"cudaMemcpy(on device)", [](World& w) {
       return cudaMemcpy(w.memory + 64, w.memory, 64, cudaMemcpyDeviceToDevice); }},
    {"cudaMemcpyToSymbol", [](World& w) { return cudaMemcpyToSymbol(variable, w.pageable, 64); }},
    {"cudaMemset", [](World& w) { return cudaMemset(w.memory, 0, 64); }},
    {"cudaMemcpyAsync(to device, legacy)", [](World& w) {
       return cudaMemcpyAsync(w.memory, w.pinned, 64, cudaMemcpyHostToDevice, 0); }},
    {"cudaMemcpyAsync(to device, pageable, s)", [](World& w) {
       return cudaMemcpyAsync(w.memory, w.pageable, 64, cudaMemcpyHostToDevice, w.s); }},
    {"cudaMemcpyAsync(to host, pageable, s)", [](World& w) {
       return cudaMemcpyAsync(w.pageable, w.memory, 64, cudaMemcpyDeviceToHost, w.s); }},
    {"cudaMemcpyAsync(to device, pinned, s)", [](World& w) {
       return cudaMemcpyAsync(w.memory, w.pinned, 64, cudaMemcpyHostToDevice, w.s); }},
    {"cudaMemcpyAsync(to device, pageable, side)", [](World& w) {
       return cudaMemcpyAsync(w.memory, w.pageable, 64, cudaMemcpyHostToDevice, w.side); }},
    {"cudaMemcpyAsync(to host, pageable, side)", [](World& w) {
       return cudaMemcpyAsync(w.pageable, w.memory, 64, cudaMemcpyDeviceToHost, w.side); }},
    {"cudaMemsetAsync(s)", [](World& w) { return cudaMemsetAsync(w.memory, 0, 64, w.s); }},
    {"launch(s)", [](World& w) { return launch(w.s, w.memory); }},
    {"launch(side)", [](World& w) { return launch(w.side, w.memory); }},
    {"launch(blocking)", [](World& w) { return launch(w.blocking, w.memory); }},
    {"launch(legacy)", [](World& w) { return launch(nullptr, w.memory); }},
    {"launch(per thread)", [](World& w) { return launch(cudaStreamPerThread, w.memory); }},
    {"launch(s, 0 blocks)", [](World& w) { nothing<<<0, 32, 0, w.s>>>(nullptr); return cudaGetLastError(); }},
    {"cudaLaunchHostFunc(s)", [](World& w) { return cudaLaunchHostFunc(w.s, noop, nullptr); }},
    {"cudaStreamAddCallback(s)", [](World& w) { return cudaStreamAddCallback(w.s, callback, nullptr, 0); }},
    {"cudaStreamAddCallback(side)", [](World& w) { return cudaStreamAddCallback(w.side, callback, nullptr, 0); }},
    {"cudaStreamCreate", [](World&) { cudaStream_t t; return cudaStreamCreate(&t); }},
    {"cudaStreamDestroy(side)", [](World& w) {
       Status e = cudaStreamDestroy(w.side); if (!e) cudaStreamCreateWithFlags(&w.side, 1); return e; }},
    {"cudaStreamSynchronize(s)", [](World& w) { return cudaStreamSynchronize(w.s); }},
    {"cudaStreamSynchronize(side)", [](World& w) { return cudaStreamSynchronize(w.side); }},
    {"cudaStreamSynchronize(blocking)", [](World& w) { return cudaStreamSynchronize(w.blocking); }},
    {"cudaStreamSynchronize(legacy)", [](World&) { return cudaStreamSynchronize(nullptr); }},
    {"cudaStreamQuery(s)", [](World& w) { return cudaStreamQuery(w.s); }},
    {"cudaStreamQuery(side)", [](World& w) { return cudaStreamQuery(w.side); }},
    {"cudaStreamQuery(legacy)", [](World&) { return cudaStreamQuery(nullptr); }},
    {"cudaDeviceSynchronize", [](World&) { return cudaDeviceSynchronize(); }},
    {"cudaStreamGetFlags(s)", [](World& w) { unsigned f; return cudaStreamGetFlags(w.s, &f); }},
    {"cudaStreamIsCapturing(legacy)", [](World&) {
       cudaStreamCaptureStatus c; return cudaStreamIsCapturing(nullptr, &c); }},
    {"cudaStreamIsCapturing(side)", [](World& w) {
       cudaStreamCaptureStatus c; return cudaStreamIsCapturing(w.side, &c); }},
    {"cudaEventCreate", [](World&) { cudaEvent_t e; return cudaEventCreate(&e); }},
    {"cudaEventRecord(side)", [](World& w) { return cudaEventRecord(w.fresh, w.side); }},
    {"cudaEventRecord(s)", [](World& w) { return cudaEventRecord(w.fresh, w.s); }},
    {"cudaEventRecord(s, external)", [](World& w) {
       return cudaEventRecordWithFlags(w.fresh, w.s, cudaEventRecordExternal); }},
    {"cudaEventRecord(legacy)", [](World& w) { return cudaEventRecord(w.fresh, nullptr); }},
    {"cudaEventQuery(outside)", [](World& w) { return cudaEventQuery(w.outside); }},
    {"cudaEventQuery(fresh)", [](World& w) { return cudaEventQuery(w.fresh); }},
    {"cudaEventQuery(inside)", [](World& w) { return cudaEventQuery(w.inside); }},
    {"cudaEventSynchronize(outside)", [](World& w) { return cudaEventSynchronize(w.outside); }},
    {"cudaEventSynchronize(inside)", [](World& w) { return cudaEventSynchronize(w.inside); }},
    {"cudaEventElapsedTime(outside)", [](World& w) { float f; return cudaEventElapsedTime(&f, w.outside, w.outside); }},
    {"cudaEventElapsedTime(inside)", [](World& w) { float f; return cudaEventElapsedTime(&f, w.outside, w.inside); }},
    {"cudaEventDestroy(outside)", [](World& w) {
       Status e = cudaEventDestroy(w.outside); if (!e) cudaEventCreate(&w.outside); return e; }},
    {"cudaStreamWaitEvent(s, outside)", [](World& w) { return cudaStreamWaitEvent(w.s, w.outside, 0); }},
    {"cudaStreamWaitEvent(s, outside, external)", [](World& w) {
       return cudaStreamWaitEvent(w.s, w.outside, cudaEventWaitExternal); }},
    {"cudaStreamWaitEvent(s, fresh)", [](World& w) { return cudaStreamWaitEvent(w.s, w.fresh, 0); }},
    {"cudaStreamWaitEvent(s, inside)", [](World& w) { return cudaStreamWaitEvent(w.s, w.inside, 0); }},
    {"cudaStreamWaitEvent(side, inside)", [](World& w) { return cudaStreamWaitEvent(w.side, w.inside, 0); }},
    {"cudaStreamWaitEvent(side, inside), launch", [](World& w) {
       Status e = cudaStreamWaitEvent(w.side, w.inside, 0); return e ? e : launch(w.side, w.memory); }},
    {"cudaStreamWaitEvent(legacy, inside)", [](World& w) { return cudaStreamWaitEvent(nullptr, w.inside, 0); }},
    {"cudaStreamWaitEvent(legacy, outside)", [](World& w) { return cudaStreamWaitEvent(nullptr, w.outside, 0); }},
    {"fork and join", [](World& w) {
       Status e = cudaStreamWaitEvent(w.side, w.inside, 0); if (e) return e;
       if ((e = launch(w.side, w.memory))) return e;
       if ((e = cudaEventRecord(w.fresh, w.side))) return e;
       return cudaStreamWaitEvent(w.s, w.fresh, 0); }},
    {"fork, cudaStreamEndCapture(side)", [](World& w) {
       Status e = cudaStreamWaitEvent(w.side, w.inside, 0); if (e) return e;
       cudaGraph_t g; return cudaStreamEndCapture(w.side, &g); }},
    {"fork, cudaStreamSynchronize(side)", [](World& w) {
       Status e = cudaStreamWaitEvent(w.side, w.inside, 0); return e ? e : cudaStreamSynchronize(w.side); }},
    {"merge", [](World& w) {
       Status e = cudaStreamBeginCapture(w.side, cudaStreamCaptureModeRelaxed); if (e) return e;
       e = cudaStreamWaitEvent(w.side, w.inside, 0);
       cudaGraph_t g; Status end = cudaStreamEndCapture(w.side, &g);
       printf("# merge: the other capture ends with %d\n", end); return e; }},
    {"cudaStreamBeginCapture(s)", [](World& w) { return cudaStreamBeginCapture(w.s, cudaStreamCaptureModeGlobal); }},
    {"cudaStreamBeginCapture(legacy)", [](World&) {
       return cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal); }},
    {"cudaStreamEndCapture(side)", [](World& w) { cudaGraph_t g; return cudaStreamEndCapture(w.side, &g); }},
    {"cudaStreamEndCapture(s)", [](World& w) { cudaGraph_t g; return cudaStreamEndCapture(w.s, &g); }},
    {"cudaGraphLaunch(s)", [](World& w) { return cudaGraphLaunch(w.exec, w.s); }},
    {"cudaGraphLaunch(side)", [](World& w) { return cudaGraphLaunch(w.exec, w.side); }},
    {"cudaGraphInstantiate", [](World& w) { cudaGraphExec_t x; return cudaGraphInstantiate(&x, w.graph, 0); }},
    {"cudaGraphExecDestroy", [](World& w) {
       cudaGraphExec_t x = w.exec; Status e = cudaGraphExecDestroy(x); if (!e) w.exec = nullptr; return e; }},
    {"cudaDeviceGetDefaultMemPool", [](World&) { cudaMemPool_t p; return cudaDeviceGetDefaultMemPool(&p, 0); }},
    {"cudaMemcpy2D(to device)", [](World& w) {
       return cudaMemcpy2D(w.memory, 32, w.pageable, 16, 16, 4, cudaMemcpyHostToDevice); }},
  };
}

static World world(bool blocking) {
  World w{};
  cudaStreamCreateWithFlags(&w.s, blocking ? cudaStreamDefault : cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&w.side, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&w.blocking, cudaStreamDefault);
  cudaEventCreate(&w.outside); cudaEventCreate(&w.fresh); cudaEventCreate(&w.inside);
  cudaMalloc(&w.memory, 4096); cudaMalloc(&w.more, 4096); cudaMallocHost(&w.pinned, 4096);
  w.registered = static_cast<char*>(aligned_alloc(4096, 4096));
  cudaMallocAsync(&w.pool, 4096, w.side);
  cudaStreamBeginCapture(w.side, cudaStreamCaptureModeRelaxed);
  nothing<<<1, 32, 0, w.side>>>(w.memory);
  cudaStreamEndCapture(w.side, &w.graph); cudaGraphInstantiate(&w.exec, w.graph, 0);
  cudaEventRecord(w.outside, w.side);
  cudaDeviceSynchronize();
  return w;
}

static void captures() {
  printf("# capture: call, captured stream, mode, thread, status, capture status after it, a second launch there, end\n");
  const char* modes[] = {"global", "thread-local", "relaxed"};
  for (const Case& c : cases())
    for (int blocking = 0; blocking < 2; ++blocking)
      for (int mode = 0; mode < 3; ++mode)
        for (int other = 0; other < 2; ++other) {
          World w = world(blocking);
          if (Status e = cudaGetLastError()) { printf("# set-up of %s: %d\n", c.name, e); }
          cudaStreamBeginCapture(w.s, static_cast<cudaStreamCaptureMode>(mode));
          launch(w.s, w.memory);
          cudaEventRecord(w.inside, w.s);
          Status status;
          if (other) std::thread([&] { status = c.call(w); }).join();
          else status = c.call(w);
          cudaGetLastError();
          cudaStreamCaptureStatus active = cudaStreamCaptureStatusNone;
          cudaStreamIsCapturing(w.s, &active);
          Status again = launch(w.s, w.memory);
          cudaGraph_t graph = nullptr;
          Status end = cudaStreamEndCapture(w.s, &graph);
          size_t nodes = 0;
          if (graph) cudaGraphGetNodes(graph, nullptr, &nodes);
          printf("capture,\"%s\",%s,%s,%s,%d,%d,%d,%d,%zu\n", c.name, blocking ? "blocking" : "non-blocking", modes[mode],
                 other ? "other" : "same", status, active, again, end, nodes);
          cudaGetLastError(); cudaDeviceSynchronize(); cudaGetLastError();
        }
}

static void say(const char* name, Status status) { printf("call,\"%s\",%d\n", name, status); cudaGetLastError(); }

static void arguments() {
  float* y; cudaMalloc(&y, 4096);
  cudaStream_t s; cudaStreamCreate(&s);
  cudaEvent_t e, f; cudaEventCreate(&e); cudaEventCreateWithFlags(&f, cudaEventDisableTiming);
  auto run = [&](const char* name, auto kernel, dim3 grid, dim3 block, size_t shared) {
    kernel<<<grid, block, shared, s>>>(y); say(name, cudaGetLastError()); };
  run("launch: 0 blocks", nothing, 0, 32, 0);
  run("launch: 0 threads", nothing, 1, 0, 0);
  run("launch: 1025 threads", nothing, 1, 1025, 0);
  run("launch: 32x33 threads", nothing, 1, dim3(32, 33), 0);
  run("launch: 65 threads in z", nothing, 1, dim3(1, 1, 65), 0);
  run("launch: 65536 blocks in y", nothing, dim3(1, 65536), 32, 0);
  run("launch: 65536 blocks in z", nothing, dim3(1, 1, 65536), 32, 0);
  run("launch: 2^31 blocks", nothing, 1u << 31, 32, 0);
  run("launch: more threads than __launch_bounds__", bounded, 1, 128, 0);
  run("launch: 49 KiB of dynamic shared memory, not asked for", dynamic, 1, 32, 49 << 10);
  run("launch: 300 KiB of dynamic shared memory, not asked for", dynamic, 1, 32, 300 << 10);
  say("cudaFuncSetAttribute(MaxDynamicSharedMemorySize, 300 KiB)",
      cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 << 10));
  say("cudaFuncSetAttribute(MaxDynamicSharedMemorySize, -1)",
      cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  say("cudaFuncSetAttribute(MaxDynamicSharedMemorySize, 64 KiB)",
      cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  run("launch: 65 KiB of dynamic shared memory, 64 asked for", dynamic, 1, 32, 65 << 10);
  run("launch: 64 KiB of dynamic shared memory, asked for", dynamic, 1, 32, 64 << 10);
  void* p = &p; say("cudaMalloc(0)", cudaMalloc(&p, 0)); printf("# cudaMalloc(0) gives %p\n", p);
  p = &p; say("cudaMallocAsync(0)", cudaMallocAsync(&p, 0, s)); printf("# cudaMallocAsync(0) gives %p\n", p);
  say("cudaMalloc(1 << 60)", cudaMalloc(&p, 1ull << 60));
  cudaMalloc(&p, 256); say("cudaFree: in the middle", cudaFree(static_cast<char*>(p) + 16));
  say("cudaFree", cudaFree(p)); say("cudaFree: twice", cudaFree(p));
  say("cudaFree: of the host", cudaFree(&p));
  cudaMalloc(&p, 256); say("cudaFreeAsync: of cudaMalloc", cudaFreeAsync(p, s));
  cudaMallocAsync(&p, 256, s); say("cudaFree: of cudaMallocAsync", cudaFree(p));
  cudaMallocAsync(&p, 256, s);
  say("cudaFreeAsync", cudaFreeAsync(p, s)); say("cudaFreeAsync: twice", cudaFreeAsync(p, s));
  say("cudaFreeAsync(null)", cudaFreeAsync(nullptr, s));
  char host[64] = {};
  say("cudaMemcpy: to the host's, said to be the device's", cudaMemcpy(host, host, 64, cudaMemcpyHostToDevice));
  say("cudaMemcpy: beyond the buffer",
      cudaMemcpy(reinterpret_cast<char*>(y) + (1ull << 34), host, 64, cudaMemcpyHostToDevice));
  say("cudaMemcpyAsync: beyond the buffer",
      cudaMemcpyAsync(reinterpret_cast<char*>(y) + (1ull << 34), host, 64, cudaMemcpyHostToDevice, s));
  say("cudaMemset: beyond the buffer", cudaMemset(reinterpret_cast<char*>(y) + (1ull << 34), 0, 64));
  say("cudaMemcpy: null", cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToDevice));
  say("cudaMemcpy: 0 bytes to null", cudaMemcpy(nullptr, host, 0, cudaMemcpyHostToDevice));
  say("cudaMemcpy2D: pitch below width", cudaMemcpy2D(y, 8, host, 16, 16, 2, cudaMemcpyHostToDevice));
  say("cudaMemset2D: pitch below width", cudaMemset2D(y, 8, 0, 16, 2));
  say("cudaMemcpyAsync: kind 7", cudaMemcpyAsync(y, host, 16, static_cast<cudaMemcpyKind>(7), s));
  say("cudaEventQuery: never recorded", cudaEventQuery(e));
  float ms; say("cudaEventElapsedTime: never recorded", cudaEventElapsedTime(&ms, e, e));
  cudaEventRecord(f, s); cudaStreamSynchronize(s);
  say("cudaEventElapsedTime: without timing", cudaEventElapsedTime(&ms, f, f));
  say("cudaStreamCreateWithFlags(2)", cudaStreamCreateWithFlags(&s, 2));
  say("cudaEventCreateWithFlags(16)", cudaEventCreateWithFlags(&e, 16));
  say("cudaStreamDestroy(null)", cudaStreamDestroy(nullptr));
  say("cudaStreamDestroy(legacy)", cudaStreamDestroy(cudaStreamLegacy));
  say("cudaStreamDestroy(per thread)", cudaStreamDestroy(cudaStreamPerThread));
  say("cudaEventDestroy(null)", cudaEventDestroy(nullptr));
  say("cudaEventRecord(null)", cudaEventRecord(nullptr, s));
  say("cudaStreamEndCapture: none begun", [&] { cudaGraph_t g; return cudaStreamEndCapture(s, &g); }());
  say("cudaStreamBeginCapture: mode 3", cudaStreamBeginCapture(s, static_cast<cudaStreamCaptureMode>(3)));
  say("cudaStreamWaitEvent: flags 2", cudaStreamWaitEvent(s, f, 2));
  say("cudaEventRecordWithFlags: flags 2", cudaEventRecordWithFlags(f, s, 2));
  say("cudaEventRecordWithFlags: external, no capture", cudaEventRecordWithFlags(f, s, 1));
  // an event that was recorded in a capture which is over
  cudaStream_t t; cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEventCreate(&e);
  cudaStreamBeginCapture(t, cudaStreamCaptureModeRelaxed); launch(t, y); cudaEventRecord(e, t);
  cudaGraph_t g; cudaStreamEndCapture(t, &g);
  say("cudaEventQuery: of a capture that is over", cudaEventQuery(e));
  say("cudaEventSynchronize: of a capture that is over", cudaEventSynchronize(e));
  say("cudaStreamWaitEvent: of a capture that is over", cudaStreamWaitEvent(t, e, 0));
  say("cudaEventElapsedTime: of a capture that is over", cudaEventElapsedTime(&ms, e, e));
  say("cudaStreamWaitEvent: outside's wait for inside's next", cudaEventRecord(e, t));
  cudaStreamBeginCapture(t, cudaStreamCaptureModeRelaxed); launch(t, y);
  say("cudaStreamDestroy: captured", cudaStreamDestroy(t));
  say("then cudaMalloc", cudaMalloc(&p, 16));
  say("then cudaDeviceSynchronize", cudaDeviceSynchronize());
}

static void waits() {
  // Which calls return only after a kernel of 300 ms on another, non-blocking, stream; on the same stream.
  cudaStream_t busy, idle; cudaStreamCreateWithFlags(&busy, 1); cudaStreamCreateWithFlags(&idle, 1);
  float *y, *z; cudaMalloc(&y, 1 << 20); cudaMalloc(&z, 1 << 20);
  char* pinned;
  cudaMallocHost(&pinned, 1 << 20); char* pageable = static_cast<char*>(malloc(1 << 20)); memset(pageable, 1, 1 << 20);
  void* p; cudaEvent_t e; cudaEventCreate(&e);
  auto timed = [&](const char* name, std::function<Status()> call) {
    cudaDeviceSynchronize();
    spin<<<1, 1, 0, busy>>>(400'000'000ll);
    auto begin = std::chrono::steady_clock::now();
    Status status = call();
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    printf("wait,\"%s\",%d,%s\n", name, status, ms > 80 ? "waits" : "returns");
    cudaGetLastError(); cudaDeviceSynchronize(); };
  timed("cudaMalloc", [&] { return cudaMalloc(&p, 1 << 20); });
  timed("cudaFree", [&] { return cudaFree(p); });
  timed("cudaFree(null)", [&] { return cudaFree(nullptr); });
  timed("cudaMallocHost", [&] { return cudaMallocHost(&p, 1 << 20); });
  timed("cudaFreeHost", [&] { return cudaFreeHost(p); });
  timed("cudaMallocAsync(idle)", [&] { return cudaMallocAsync(&p, 1 << 20, idle); });
  timed("cudaFreeAsync(idle)", [&] { return cudaFreeAsync(p, idle); });
  timed("cudaMallocAsync(busy)", [&] { return cudaMallocAsync(&p, 1 << 20, busy); });
  timed("cudaFree of cudaMallocAsync's", [&] { return cudaFree(p); });
  timed("cudaMemset", [&] { return cudaMemset(y, 0, 1 << 20); });
  timed("cudaMemcpy(to device, pageable)", [&] { return cudaMemcpy(y, pageable, 1 << 20, cudaMemcpyHostToDevice); });
  timed("cudaMemcpy(to host, pageable)", [&] { return cudaMemcpy(pageable, y, 1 << 20, cudaMemcpyDeviceToHost); });
  timed("cudaMemcpyAsync(to device, pageable 64 B, busy)", [&] {
    return cudaMemcpyAsync(y, pageable, 64, cudaMemcpyHostToDevice, busy); });
  timed("cudaMemcpyAsync(to device, pageable 1 MB, busy)", [&] {
    return cudaMemcpyAsync(y, pageable, 1 << 20, cudaMemcpyHostToDevice, busy); });
  timed("cudaMemcpyAsync(to host, pageable 64 B, busy)", [&] {
    return cudaMemcpyAsync(pageable, y, 64, cudaMemcpyDeviceToHost, busy); });
  timed("cudaMemcpyAsync(to host, pinned, busy)", [&] {
    return cudaMemcpyAsync(pinned, y, 1 << 20, cudaMemcpyDeviceToHost, busy); });
  timed("cudaMemcpyAsync(to device, pinned, busy)", [&] {
    return cudaMemcpyAsync(y, pinned, 1 << 20, cudaMemcpyHostToDevice, busy); });
  timed("cudaMemcpyAsync(on device, busy)", [&] {
    return cudaMemcpyAsync(y, z, 1 << 20, cudaMemcpyDeviceToDevice, busy); });
  timed("cudaEventRecord(busy)", [&] { return cudaEventRecord(e, busy); });
  timed("cudaEventDestroy", [&] { return cudaEventDestroy(e); });
  timed("cudaStreamQuery(busy)", [&] { return cudaStreamQuery(busy); });
  timed("cudaStreamCreate", [&] { cudaStream_t t; return cudaStreamCreate(&t); });
  timed("cudaStreamDestroy(busy)", [&] {
    Status s = cudaStreamDestroy(busy); cudaStreamCreateWithFlags(&busy, 1); return s; });
  timed("cudaStreamSynchronize(legacy)", [&] { return cudaStreamSynchronize(nullptr); });
  timed("cudaGetSymbolAddress", [&] { return cudaGetSymbolAddress(&p, variable); });
  cudaStreamCreate(&busy);
  timed("cudaMemset, busy is blocking", [&] { return cudaMemset(y, 0, 1 << 20); });
  timed("cudaMemcpy(on device), busy is blocking", [&] { return cudaMemcpy(y, z, 1 << 20, cudaMemcpyDeviceToDevice); });
  timed("cudaMemcpy(to device, pageable 64 B), busy is blocking", [&] {
    return cudaMemcpy(y, pageable, 64, cudaMemcpyHostToDevice); });
  timed("cudaMemcpy(to device, pinned), busy is blocking", [&] {
    return cudaMemcpy(y, pinned, 1 << 20, cudaMemcpyHostToDevice); });
  timed("cudaStreamSynchronize(legacy), busy is blocking", [&] { return cudaStreamSynchronize(nullptr); });
  timed("cudaMemcpyToSymbol, busy is blocking", [&] { return cudaMemcpyToSymbol(variable, pageable, 64); });
}

static void fault(const std::string& which) {
  float* y; cudaMalloc(&y, 4096); void* p;
  cudaStream_t s; cudaStreamCreate(&s); cudaEvent_t e; cudaEventCreate(&e);
  Status launched = cudaSuccess;
  auto run = [&](auto kernel) { kernel<<<1, 1, 0, s>>>(y); launched = cudaGetLastError(); };
  if (which == "out_of_bounds") run(out_of_bounds);
  if (which == "misaligned") run(misaligned);
  if (which == "trap") run(trapped);
  if (which == "assert") run(asserted);
  if (which == "null_pointer") run(null_write);
  Status waited = cudaStreamSynchronize(s);
  auto line = [&](const char* call, Status status) { printf("fault,%s,\"%s\",%d\n", which.c_str(), call, status); };
  line("the launch", launched);
  line("cudaStreamSynchronize", waited);
  line("cudaGetLastError", cudaGetLastError());
  line("cudaGetLastError again", cudaGetLastError());
  line("cudaMalloc", cudaMalloc(&p, 16));
  nothing<<<1, 1, 0, s>>>(y);
  line("a launch", cudaGetLastError());
  line("cudaFree", cudaFree(y));
  line("cudaEventQuery", cudaEventQuery(e));
  line("cudaEventDestroy", cudaEventDestroy(e));
  line("cudaStreamDestroy", cudaStreamDestroy(s));
  line("cudaStreamCreate", cudaStreamCreate(&s));
  cudaPointerAttributes a; line("cudaPointerGetAttributes", cudaPointerGetAttributes(&a, y));
  cudaFuncAttributes f; line("cudaFuncGetAttributes", cudaFuncGetAttributes(&f, nothing));
  int n; line("cudaGetDevice", cudaGetDevice(&n));
  size_t free, total; line("cudaMemGetInfo", cudaMemGetInfo(&free, &total));
  cudaStreamCaptureStatus c; line("cudaStreamIsCapturing", cudaStreamIsCapturing(nullptr, &c));
  line("cudaDeviceSynchronize", cudaDeviceSynchronize());
  line("cudaDeviceReset", cudaDeviceReset());
  line("cudaMalloc after the reset", cudaMalloc(&p, 16));
}

int main(int count, char** words) {
  std::string what = count > 1 ? words[1] : "";
  if (what == "captures") captures();
  else if (what == "arguments") arguments();
  else if (what == "waits") waits();
  else fault(what);
}
