#include "copy.h"

#include <algorithm>
#include <cstring>

#include "addresses.h"
#include "call.h"
#include "host_functions.h"
#include "host_memory.h"

namespace grader {
namespace {

constexpr size_t PIECE = size_t{128} << 20;  // the device process takes requests up to twice this

// A copy within the host is a host function of its stream.
cudaError_t copy_on_host(void* to, const void* from, size_t bytes, cudaStream_t stream, uint64_t mode) {
  if (mode & ASYNC) {
    const uint64_t token = keep_host_function([=] { memmove(to, from, bytes); });
    return ask(Call::HOST_FUNCTION, {stream_of(stream), token}).status;
  }
  if (const cudaError_t status = ask(Call::STREAM_SYNCHRONIZE, {stream_of(stream)}).status) return status;
  memmove(to, from, bytes);
  return cudaSuccess;
}

// Sets PINNED in `mode` where the host's side of the copy is page-locked.
cudaError_t look_at_host(cudaMemcpyKind kind, const void* to, const void* from, size_t bytes, uint64_t& mode) {
  if (kind == cudaMemcpyDeviceToDevice) return cudaSuccess;
  const Host host = kind_of_host(kind == cudaMemcpyHostToDevice ? from : to, bytes);
  if (host == Host::PINNED) mode |= PINNED;
  return host == Host::BEYOND ? cudaErrorInvalidValue : cudaSuccess;
}

}  // namespace

cudaError_t direct(const void* to, const void* from, cudaMemcpyKind& kind) {
  const bool to_device = on_device(to), from_device = on_device(from);
  const auto fitting = static_cast<cudaMemcpyKind>((to_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost) |
                                                   (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost));
  static_assert((cudaMemcpyHostToDevice | cudaMemcpyDeviceToHost) == cudaMemcpyDeviceToDevice);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (!to || !from) return cudaErrorInvalidValue;
  if (kind != cudaMemcpyDefault && kind & ~fitting) return cudaErrorInvalidValue;
  kind = fitting;
  return cudaSuccess;
}

cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, uint64_t mode) {
  if (bytes == 0) return cudaSuccess;
  if (const cudaError_t status = direct(to, from, kind)) return status;
  if (kind == cudaMemcpyHostToHost) return copy_on_host(to, from, bytes, stream, mode);
  if (const cudaError_t status = look_at_host(kind, to, from, bytes, mode)) return status;
  for (size_t at = 0; at < bytes; at += PIECE) {
    const size_t piece = std::min(PIECE, bytes - at);
    Bytes payload;
    if (kind == cudaMemcpyHostToDevice) payload = {static_cast<const char*>(from) + at, piece};
    const cudaError_t status = ask(Call::COPY,
                                   {static_cast<uint64_t>(kind), address_of(to) + at, address_of(from) + at, piece,
                                    stream_of(stream), mode},
                                   payload)
                                   .status;
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

namespace {

struct Plane {
  void* to;
  size_t to_pitch;
  const void* from;
  size_t from_pitch, width, height;
};

cudaError_t copy(const Plane& plane, cudaMemcpyKind kind, cudaStream_t stream, uint64_t mode) {
  const auto [to, to_pitch, from, from_pitch, width, height] = plane;
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  if (width == 0 || height == 0) return cudaSuccess;
  if (const cudaError_t status = direct(to, from, kind)) return status;
  if (kind == cudaMemcpyHostToHost) return not_simulated();
  std::vector<char> rows;
  if (kind == cudaMemcpyHostToDevice) {
    rows.resize(width * height);
    for (size_t row = 0; row < height; ++row)
      memcpy(rows.data() + row * width, static_cast<const char*>(from) + row * from_pitch, width);
  }
  const size_t reach = (height - 1) * (kind == cudaMemcpyDeviceToHost ? to_pitch : from_pitch) + width;
  if (const cudaError_t status = look_at_host(kind, to, from, reach, mode)) return status;
  return ask(Call::COPY_2D,
             {static_cast<uint64_t>(kind) | mode << 32, address_of(to), to_pitch, address_of(from), from_pitch, width,
              height, stream_of(stream)},
             {rows.data(), rows.size()})
      .status;
}

cudaError_t set(void* to, int value, size_t bytes, cudaStream_t stream, uint64_t mode) {
  if (bytes == 0) return cudaSuccess;
  if (!on_device(to)) return cudaErrorInvalidValue;
  return ask(Call::SET, {address_of(to), static_cast<uint8_t>(value), bytes, stream_of(stream), mode}).status;
}

cudaError_t set(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream, uint64_t mode) {
  if (width > pitch && height > 1) return cudaErrorInvalidValue;
  if (width == 0 || height == 0) return cudaSuccess;
  if (!on_device(to)) return cudaErrorInvalidValue;
  return ask(Call::SET_2D,
             {address_of(to), pitch, static_cast<uint8_t>(value), width, height, stream_of(stream), mode})
      .status;
}

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return api(Function::cudaMemcpy, [&] { return copy(to, from, bytes, kind, cudaStreamLegacy, 0); });
}

PER_THREAD(cudaMemcpy, _ptds);
cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return api(Function::cudaMemcpy_ptds, [&] { return copy(to, from, bytes, kind, cudaStreamPerThread, 0); });
}

EXPORTED cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return api(Function::cudaMemcpyAsync, [&] { return copy(to, from, bytes, kind, stream, ASYNC); });
}

PER_THREAD(cudaMemcpyAsync, _ptsz);
cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return api(Function::cudaMemcpyAsync_ptsz, [&] { return copy(to, from, bytes, kind, own_stream(stream), ASYNC); });
}

EXPORTED cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return api(Function::cudaMemcpyPeer, [&] {
    if (to_device || from_device) return cudaErrorInvalidDevice;
    return copy(to, from, bytes, cudaMemcpyDeviceToDevice, cudaStreamLegacy, ASYNC);
  });
}

EXPORTED cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                         cudaStream_t stream) {
  return api(Function::cudaMemcpyPeerAsync, [&] {
    if (to_device || from_device) return cudaErrorInvalidDevice;
    return copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream, ASYNC);
  });
}

EXPORTED cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return api(Function::cudaMemcpy2D,
             [&] { return copy({to, to_pitch, from, from_pitch, width, height}, kind, cudaStreamLegacy, 0); });
}

PER_THREAD(cudaMemcpy2D, _ptds);
cudaError_t cudaMemcpy2D_ptds(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind) {
  return api(Function::cudaMemcpy2D_ptds,
             [&] { return copy({to, to_pitch, from, from_pitch, width, height}, kind, cudaStreamPerThread, 0); });
}

EXPORTED cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return api(Function::cudaMemcpy2DAsync,
             [&] { return copy({to, to_pitch, from, from_pitch, width, height}, kind, stream, ASYNC); });
}

PER_THREAD(cudaMemcpy2DAsync, _ptsz);
cudaError_t cudaMemcpy2DAsync_ptsz(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                   size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return api(Function::cudaMemcpy2DAsync_ptsz,
             [&] { return copy({to, to_pitch, from, from_pitch, width, height}, kind, own_stream(stream), ASYNC); });
}

EXPORTED cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return api(Function::cudaMemset, [&] { return set(to, value, bytes, cudaStreamLegacy, 0); });
}

PER_THREAD(cudaMemset, _ptds);
cudaError_t cudaMemset_ptds(void* to, int value, size_t bytes) {
  return api(Function::cudaMemset_ptds, [&] { return set(to, value, bytes, cudaStreamPerThread, 0); });
}

EXPORTED cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return api(Function::cudaMemsetAsync, [&] { return set(to, value, bytes, stream, ASYNC); });
}

PER_THREAD(cudaMemsetAsync, _ptsz);
cudaError_t cudaMemsetAsync_ptsz(void* to, int value, size_t bytes, cudaStream_t stream) {
  return api(Function::cudaMemsetAsync_ptsz, [&] { return set(to, value, bytes, own_stream(stream), ASYNC); });
}

EXPORTED cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return api(Function::cudaMemset2D, [&] { return set(to, pitch, value, width, height, cudaStreamLegacy, 0); });
}

PER_THREAD(cudaMemset2D, _ptds);
cudaError_t cudaMemset2D_ptds(void* to, size_t pitch, int value, size_t width, size_t height) {
  return api(Function::cudaMemset2D_ptds, [&] { return set(to, pitch, value, width, height, cudaStreamPerThread, 0); });
}

EXPORTED cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                       cudaStream_t stream) {
  return api(Function::cudaMemset2DAsync, [&] { return set(to, pitch, value, width, height, stream, ASYNC); });
}

PER_THREAD(cudaMemset2DAsync, _ptsz);
cudaError_t cudaMemset2DAsync_ptsz(void* to, size_t pitch, int value, size_t width, size_t height,
                                   cudaStream_t stream) {
  return api(Function::cudaMemset2DAsync_ptsz,
             [&] { return set(to, pitch, value, width, height, own_stream(stream), ASYNC); });
}
