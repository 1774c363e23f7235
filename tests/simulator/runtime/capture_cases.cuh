// Calls that a program may make while a stream is captured, for measure_h200.cu.
#pragma once
#include <cassert>
#include <functional>
#include <vector>
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
    {"cudaMemcpyAsync(beyond the buffer, s)", [](World& w) {
       char* far = reinterpret_cast<char*>(w.memory) + (1ull << 34);
       return cudaMemcpyAsync(far, w.pinned, 64, cudaMemcpyHostToDevice, w.s); }},
    {"cudaMemsetAsync(beyond the buffer, s)", [](World& w) {
       return cudaMemsetAsync(reinterpret_cast<char*>(w.memory) + (1ull << 34), 0, 64, w.s); }},
    {"cudaMallocAsync(s), cudaFreeAsync", [](World& w) {
       void* p; Status e = cudaMallocAsync(&p, 256, w.s); return e ? e : cudaFreeAsync(p, w.s); }},
    {"cudaMallocAsync(s), cudaFree", [](World& w) {
       void* p; Status e = cudaMallocAsync(&p, 256, w.s); return e ? e : cudaFree(p); }},
    {"fork, cudaStreamDestroy(side)", [](World& w) {
       Status e = cudaStreamWaitEvent(w.side, w.inside, 0); return e ? e : cudaStreamDestroy(w.side); }},
    {"fork, launch, cudaStreamDestroy(side)", [](World& w) {
       Status e = cudaStreamWaitEvent(w.side, w.inside, 0); if (e) return e;
       launch(w.side, w.memory); return cudaStreamDestroy(w.side); }},
    {"fork, cudaStreamBeginCapture(side)", [](World& w) {
       Status e = cudaStreamWaitEvent(w.side, w.inside, 0);
       return e ? e : cudaStreamBeginCapture(w.side, cudaStreamCaptureModeRelaxed); }},
    {"fork, cudaEventQuery(in side)", [](World& w) {
       cudaStreamWaitEvent(w.side, w.inside, 0); cudaEventRecord(w.fresh, w.side); return cudaEventQuery(w.fresh); }},
    {"invalidate, launch(s)", [](World& w) { cudaStreamQuery(w.s); return launch(w.s, w.memory); }},
    {"invalidate, cudaEventQuery(inside)", [](World& w) { cudaStreamQuery(w.s); return cudaEventQuery(w.inside); }},
    {"invalidate, cudaStreamWaitEvent(side, inside)", [](World& w) {
       cudaStreamQuery(w.s); return cudaStreamWaitEvent(w.side, w.inside, 0); }},
    {"invalidate, cudaStreamWaitEvent(s, inside)", [](World& w) {
       cudaStreamQuery(w.s); return cudaStreamWaitEvent(w.s, w.inside, 0); }},
    {"invalidate, cudaStreamWaitEvent(s, outside)", [](World& w) {
       cudaStreamQuery(w.s); return cudaStreamWaitEvent(w.s, w.outside, 0); }},
    {"invalidate, cudaEventRecord(s)", [](World& w) { cudaStreamQuery(w.s); return cudaEventRecord(w.fresh, w.s); }},
    {"invalidate, cudaStreamSynchronize(s)", [](World& w) { cudaStreamQuery(w.s); return cudaStreamSynchronize(w.s); }},
    {"invalidate, cudaMalloc", [](World& w) { void* p; cudaStreamQuery(w.s); return cudaMalloc(&p, 16); }},
    {"invalidate, cudaDeviceSynchronize", [](World& w) { cudaStreamQuery(w.s); return cudaDeviceSynchronize(); }},
    {"invalidate, cudaStreamBeginCapture(s)", [](World& w) {
       cudaStreamQuery(w.s); return cudaStreamBeginCapture(w.s, cudaStreamCaptureModeRelaxed); }},
    {"invalidate, cudaStreamGetFlags(s)", [](World& w) {
       unsigned f; cudaStreamQuery(w.s); return cudaStreamGetFlags(w.s, &f); }},
    {"invalidate, launch(s, 0 blocks)", [](World& w) {
       cudaStreamQuery(w.s); cudaGetLastError(); nothing<<<0, 32, 0, w.s>>>(nullptr); return cudaGetLastError(); }},
    {"cudaThreadExchangeStreamCaptureMode(thread-local), cudaMalloc", [](World&) {
       cudaStreamCaptureMode m = cudaStreamCaptureModeThreadLocal; void* p; cudaThreadExchangeStreamCaptureMode(&m);
       Status e = cudaMalloc(&p, 16); cudaThreadExchangeStreamCaptureMode(&m); return e; }},
    {"cudaThreadExchangeStreamCaptureMode(relaxed), cudaMalloc", [](World&) {
       cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed; void* p; cudaThreadExchangeStreamCaptureMode(&m);
       Status e = cudaMalloc(&p, 16); cudaThreadExchangeStreamCaptureMode(&m); return e; }},
    {"cudaThreadExchangeStreamCaptureMode(relaxed), cudaStreamSynchronize(s)", [](World& w) {
       cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed; cudaThreadExchangeStreamCaptureMode(&m);
       Status e = cudaStreamSynchronize(w.s); cudaThreadExchangeStreamCaptureMode(&m); return e; }},
    {"cudaDeviceGetDefaultMemPool", [](World&) { cudaMemPool_t p; return cudaDeviceGetDefaultMemPool(&p, 0); }},
    {"cudaMemcpy2D(to device)", [](World& w) {
       return cudaMemcpy2D(w.memory, 32, w.pageable, 16, 16, 4, cudaMemcpyHostToDevice); }},
  };
}
