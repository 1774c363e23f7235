// Capturing a stream's work as a graph, and running graphs.
#include "addresses.h"
#include "call.h"

namespace grader {
namespace {

cudaError_t begin(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  return ask(Call::CAPTURE_BEGIN, {stream_of(stream), static_cast<uint64_t>(mode)}).status;
}

cudaError_t end(cudaStream_t stream, cudaGraph_t* graph) {
  if (!graph) return cudaErrorInvalidValue;
  *graph = nullptr;
  const Answer answer = ask(Call::CAPTURE_END, {stream_of(stream)});
  if (answer.status == cudaSuccess) *graph = static_cast<cudaGraph_t>(pointer_to(answer.values[0]));
  return answer.status;
}

cudaError_t info(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, bool nodes_wanted) {
  if (!status) return cudaErrorInvalidValue;
  const Answer answer = ask(Call::CAPTURE_INFO, {stream_of(stream)});
  if (answer.status != cudaSuccess) return answer.status;
  *status = static_cast<cudaStreamCaptureStatus>(answer.values[0]);
  if (*status == cudaStreamCaptureStatusActive && nodes_wanted) return not_simulated();
  if (id) *id = answer.values[1];
  return cudaSuccess;
}

cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  if (!executable || !graph) return cudaErrorInvalidValue;
  constexpr unsigned long long no_difference_here = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                                    cudaGraphInstantiateFlagUpload |
                                                    cudaGraphInstantiateFlagUseNodePriority;
  if (flags & ~no_difference_here) return not_simulated();
  const Answer answer = ask(Call::GRAPH_INSTANTIATE, {address_of(graph)});
  if (answer.status == cudaSuccess) *executable = static_cast<cudaGraphExec_t>(pointer_to(answer.values[0]));
  return answer.status;
}

cudaError_t launch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (!executable) return cudaErrorInvalidValue;
  return ask(Call::GRAPH_LAUNCH, {address_of(executable), stream_of(stream)}).status;
}

// Copies of graphs live where they run: there is nothing to do.
cudaError_t upload(cudaGraphExec_t executable) { return executable ? cudaSuccess : cudaErrorInvalidValue; }

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return api(Function::cudaStreamBeginCapture, [&] { return begin(stream, mode); });
}

PER_THREAD(cudaStreamBeginCapture, _ptsz);
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return api(Function::cudaStreamBeginCapture_ptsz, [&] { return begin(own_stream(stream), mode); });
}

EXPORTED cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return api(Function::cudaStreamEndCapture, [&] { return end(stream, graph); });
}

PER_THREAD(cudaStreamEndCapture, _ptsz);
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
  return api(Function::cudaStreamEndCapture_ptsz, [&] { return end(own_stream(stream), graph); });
}

EXPORTED cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return api(Function::cudaStreamIsCapturing, [&] { return info(stream, status, nullptr, false); });
}

PER_THREAD(cudaStreamIsCapturing, _ptsz);
cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return api(Function::cudaStreamIsCapturing_ptsz, [&] { return info(own_stream(stream), status, nullptr, false); });
}

EXPORTED cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                              unsigned long long* id, cudaGraph_t* graph,
                                              const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                              size_t* count) {
  return api(Function::cudaStreamGetCaptureInfo,
             [&] { return info(stream, status, id, graph || nodes || edges || count); });
}

PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);
cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                          cudaGraph_t* graph, const cudaGraphNode_t** nodes,
                                          const cudaGraphEdgeData** edges, size_t* count) {
  return api(Function::cudaStreamGetCaptureInfo_ptsz,
             [&] { return info(own_stream(stream), status, id, graph || nodes || edges || count); });
}

// CUDA 12: the first without edges.
EXPORTED cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                 unsigned long long* id, cudaGraph_t* graph,
                                                 const cudaGraphNode_t** nodes, size_t* count) {
  return api(Function::cudaStreamGetCaptureInfo_v2, [&] { return info(stream, status, id, graph || nodes || count); });
}

EXPORTED cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      const cudaGraphNode_t** nodes, size_t* count) {
  return api(Function::cudaStreamGetCaptureInfo_v2_ptsz,
             [&] { return info(own_stream(stream), status, id, graph || nodes || count); });
}

EXPORTED cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                 unsigned long long* id, cudaGraph_t* graph,
                                                 const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                                 size_t* count) {
  return api(Function::cudaStreamGetCaptureInfo_v3,
             [&] { return info(stream, status, id, graph || nodes || edges || count); });
}

EXPORTED cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                                      size_t* count) {
  return api(Function::cudaStreamGetCaptureInfo_v3_ptsz,
             [&] { return info(own_stream(stream), status, id, graph || nodes || edges || count); });
}

EXPORTED cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api(Function::cudaThreadExchangeStreamCaptureMode, [&] {
    if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    const Answer answer = ask(Call::CAPTURE_MODE, {static_cast<uint64_t>(*mode)});
    if (answer.status == cudaSuccess) *mode = static_cast<cudaStreamCaptureMode>(answer.values[0]);
    return answer.status;
  });
}

EXPORTED cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return api(Function::cudaGraphInstantiate, [&] { return instantiate(executable, graph, flags); });
}

EXPORTED cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                   unsigned long long flags) {
  return api(Function::cudaGraphInstantiateWithFlags, [&] { return instantiate(executable, graph, flags); });
}

EXPORTED cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return api(Function::cudaGraphLaunch, [&] { return launch(executable, stream); });
}

PER_THREAD(cudaGraphLaunch, _ptsz);
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t executable, cudaStream_t stream) {
  return api(Function::cudaGraphLaunch_ptsz, [&] { return launch(executable, own_stream(stream)); });
}

EXPORTED cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return api(Function::cudaGraphUpload, [&] { return upload(executable); });
}

PER_THREAD(cudaGraphUpload, _ptsz);
cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t executable, cudaStream_t) {
  return api(Function::cudaGraphUpload_ptsz, [&] { return upload(executable); });
}

EXPORTED cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return api(Function::cudaGraphGetNodes, [&] {
    if (!graph || !count) return cudaErrorInvalidValue;
    if (nodes) return not_simulated();
    const Answer answer = ask(Call::GRAPH_NODES, {address_of(graph)});
    if (answer.status == cudaSuccess) *count = answer.values[0];
    return answer.status;
  });
}

EXPORTED cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api(Function::cudaGraphDestroy,
             [&] { return graph ? ask(Call::GRAPH_DESTROY, {address_of(graph)}).status : cudaErrorInvalidValue; });
}

EXPORTED cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return api(Function::cudaGraphExecDestroy, [&] {
    return executable ? ask(Call::GRAPH_EXEC_DESTROY, {address_of(executable)}).status : cudaErrorInvalidValue;
  });
}
