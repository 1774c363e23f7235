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

extern "C" cudaError_t cudaMemcpy_ptds(void*, const void*, size_t, cudaMemcpyKind);  // of --default-stream per-thread
extern "C" cudaError_t cudaMemset_ptds(void*, int, size_t);

#include "capture_cases.cuh"

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
  printf("# capture: call, captured stream, mode, thread, status; capture status, another launch, the end, nodes\n");
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
          const char* kind = blocking ? "blocking" : "non-blocking";
          printf("capture,\"%s\",%s,%s,%s,%d,%d,%d,%d,%zu\n", c.name, kind, modes[mode],
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
  cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed);
  say("cudaMemcpy_ptds: the thread's stream is captured", cudaMemcpy_ptds(y, host, 64, cudaMemcpyHostToDevice));
  say("cudaMemset_ptds: the thread's stream is captured", cudaMemset_ptds(y, 0, 64));
  say("cudaStreamEndCapture: then", cudaStreamEndCapture(cudaStreamPerThread, &g));
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(t, cudaStreamCaptureModeRelaxed); cudaMallocAsync(&p, 64, t); cudaStreamEndCapture(t, &g);
  say("cudaGraphInstantiate: an allocation that is not freed", cudaGraphInstantiate(&exec, g, 0));
  say("cudaGraphLaunch: the first time", cudaGraphLaunch(exec, t));
  say("cudaGraphLaunch: the second time", cudaGraphLaunch(exec, t));
  say("cudaFreeAsync: of the graph's memory", cudaFreeAsync(p, t));
  say("cudaGraphLaunch: the third time", cudaGraphLaunch(exec, t));
  say("cudaFree: of the graph's memory", cudaFree(p));
  say("cudaStreamSynchronize: then", cudaStreamSynchronize(t));
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
