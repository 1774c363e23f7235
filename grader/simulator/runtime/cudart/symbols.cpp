// __device__ and __constant__ variables by name.
#include "addresses.h"
#include "call.h"
#include "copy.h"
#include "modules.h"

namespace grader {
namespace {

cudaError_t find(const void* symbol, Variable*& variable) {
  variable = find_variable(symbol);
  return variable ? resolve(*variable) : cudaErrorInvalidSymbol;
}

// The address of `bytes` of a variable from `offset` on.
cudaError_t part(const void* symbol, size_t offset, size_t bytes, void*& address) {
  Variable* variable;
  if (const cudaError_t status = find(symbol, variable)) return status;
  if (offset > variable->bytes || bytes > variable->bytes - offset) return cudaErrorInvalidValue;
  address = pointer_to(variable->address + offset);
  return cudaSuccess;
}

cudaError_t copy_to(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                    cudaStream_t stream, uint64_t mode) {
  void* to;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  if (const cudaError_t status = part(symbol, offset, bytes, to)) return status;
  return copy(to, from, bytes, kind, stream, mode);
}

cudaError_t copy_from(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                      cudaStream_t stream, uint64_t mode) {
  void* from;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  if (const cudaError_t status = part(symbol, offset, bytes, from)) return status;
  return copy(to, from, bytes, kind, stream, mode);
}

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return api(Function::cudaGetSymbolAddress,
             [&] { return address ? part(symbol, 0, 0, *address) : cudaErrorInvalidValue; });
}

EXPORTED cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return api(Function::cudaGetSymbolSize, [&] {
    Variable* variable;
    if (!bytes) return cudaErrorInvalidValue;
    if (const cudaError_t status = find(symbol, variable)) return status;
    *bytes = variable->bytes;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                        cudaMemcpyKind kind) {
  return api(Function::cudaMemcpyToSymbol,
             [&] { return copy_to(symbol, from, bytes, offset, kind, cudaStreamLegacy, 0); });
}

PER_THREAD(cudaMemcpyToSymbol, _ptds);
cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind) {
  return api(Function::cudaMemcpyToSymbol_ptds,
             [&] { return copy_to(symbol, from, bytes, offset, kind, cudaStreamPerThread, 0); });
}

EXPORTED cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream) {
  return api(Function::cudaMemcpyToSymbolAsync,
             [&] { return copy_to(symbol, from, bytes, offset, kind, stream, ASYNC); });
}

PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);
cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* from, size_t bytes, size_t offset,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  return api(Function::cudaMemcpyToSymbolAsync_ptsz,
             [&] { return copy_to(symbol, from, bytes, offset, kind, own_stream(stream), ASYNC); });
}

EXPORTED cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                          cudaMemcpyKind kind) {
  return api(Function::cudaMemcpyFromSymbol,
             [&] { return copy_from(to, symbol, bytes, offset, kind, cudaStreamLegacy, 0); });
}

PER_THREAD(cudaMemcpyFromSymbol, _ptds);
cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return api(Function::cudaMemcpyFromSymbol_ptds,
             [&] { return copy_from(to, symbol, bytes, offset, kind, cudaStreamPerThread, 0); });
}

EXPORTED cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                               cudaMemcpyKind kind, cudaStream_t stream) {
  return api(Function::cudaMemcpyFromSymbolAsync,
             [&] { return copy_from(to, symbol, bytes, offset, kind, stream, ASYNC); });
}

PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);
cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* symbol, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t stream) {
  return api(Function::cudaMemcpyFromSymbolAsync_ptsz,
             [&] { return copy_from(to, symbol, bytes, offset, kind, own_stream(stream), ASYNC); });
}
