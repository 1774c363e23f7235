#include "wire.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "call.h"
#include "host_functions.h"
#include "host_memory.h"
#include "modules.h"

namespace grader {
namespace {

constexpr uint64_t MOST_PAYLOAD = uint64_t{4} << 30;  // more than all memory that the device gives

std::mutex& mutex = *new std::mutex;  // guards all below; never destroyed, since libraries call while the process exits
int descriptor = -1;
cudaError_t state = cudaErrorNoDevice;  // while there is no descriptor
bool looked_for = false;

void lose(cudaError_t why) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
  state = why;
}

bool send_all(const void* data, uint64_t size) {
  for (auto* at = static_cast<const char*>(data); size;) {
    const ssize_t sent = send(descriptor, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent, size -= static_cast<uint64_t>(sent);
  }
  return true;
}

bool receive_all(void* data, uint64_t size) {
  for (auto* at = static_cast<char*>(data); size;) {
    const ssize_t got = recv(descriptor, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got, size -= static_cast<uint64_t>(got);
  }
  return true;
}

// A pointer that cannot be read faults here, in the caller's stack and before a byte is sent.
void touch(Bytes bytes) {
  constexpr uint64_t page = 4096;
  auto* data = static_cast<const volatile char*>(bytes.data);
  for (uint64_t at = 0; at < bytes.size; at += page) (void)data[at];
  if (bytes.size) (void)data[bytes.size - 1];
}

// One request and its reply; false where the connection is lost.
bool exchange(const Request& request, Bytes payload, ReplyHeader& reply, std::vector<std::byte>& answer) {
  if (!send_all(&request, sizeof request) || !send_all(payload.data, payload.size)) return false;
  if (!receive_all(&reply, sizeof reply) || reply.payload > MOST_PAYLOAD) return false;
  try {
    answer.resize(reply.payload);
  } catch (const std::bad_alloc&) {
    return false;  // what comes cannot be taken, nor passed over
  }
  return receive_all(answer.data(), reply.payload);
}

bool deliver(const std::vector<std::byte>& row) {
  for (size_t at = 0; at < row.size();) {
    Delivery delivery;
    if (row.size() - at < sizeof delivery) return false;
    memcpy(&delivery, row.data() + at, sizeof delivery);
    at += sizeof delivery;
    if (row.size() - at < delivery.bytes) return false;
    write_to_host(delivery.address, row.data() + at, delivery.bytes);
    at += delivery.bytes;
  }
  return true;
}

void use(int fd) {
  looked_for = true;
  if (fd < 0 || fcntl(fd, F_GETFD) < 0) return;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  descriptor = fd;
  ReplyHeader reply{};
  std::vector<std::byte> nothing;
  const Request hello{static_cast<uint16_t>(Call::HELLO), 0, thread().number, 0, {VERSION}};
  if (!exchange(hello, {}, reply, nothing) || reply.status != cudaSuccess) lose(cudaErrorDevicesUnavailable);
}

// The number in the program's argument --device=N; -1 without one.
int argument() {
  FILE* file = fopen("/proc/self/cmdline", "re");
  if (!file) return -1;
  int found = -1;
  char* word = nullptr;
  size_t room = 0;
  while (getdelim(&word, &room, '\0', file) > 0)
    if (sscanf(word, "--device=%d", &found) == 1) break;
  free(word);
  fclose(file);
  return found;
}

void in_forked_child() {
  new (&mutex) std::mutex;  // some other thread of the parent may have held it
  if (descriptor >= 0) lose(cudaErrorInitializationError);
}

// Libraries that were built with CUDA 12 ask for libcudart.so.12. That file, beside this one, holds no functions: it
// leads to these. Once it is loaded, no search path of theirs leads anywhere else.
void load_other_version() {
  Dl_info here;
  if (!dladdr(reinterpret_cast<void*>(load_other_version), &here) || !here.dli_fname) return;
  std::string path = here.dli_fname;
  path.replace(path.rfind('/') + 1, std::string::npos, "libcudart.so.12");
  dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

__attribute__((constructor)) void prepare() {
  // Host code that touches device memory must fault. Where the range cannot be had, nothing else can be there but what
  // the process put there, and addresses of the device still fault unless they hit it.
  mmap(reinterpret_cast<void*>(DEVICE_BASE), DEVICE_BYTES, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  pthread_atfork(nullptr, nullptr, in_forked_child);
  load_other_version();
}

}  // namespace

cudaError_t connection() {
  const std::lock_guard lock(mutex);
  if (!looked_for) use(argument());
  return descriptor >= 0 ? cudaSuccess : state;
}

Answer ask(Call call, std::array<uint64_t, 8> arguments, Bytes payload) {
  thread().asked = true;
  touch(payload);
  // CUDA runs host functions in a thread of its own: 0.
  const uint32_t number = thread().in_host_function ? 0 : thread().number;
  Request request{static_cast<uint16_t>(call), static_cast<uint16_t>(thread().function), number, payload.size, {}};
  memcpy(request.arguments, arguments.data(), sizeof request.arguments);
  for (;;) {
    Answer answer;
    ReplyHeader reply{};
    {
      const std::lock_guard lock(mutex);
      if (descriptor < 0) return {state};
      const bool arrived = exchange(request, payload, reply, answer.payload);
      if (!arrived || (reply.flags & DELIVERIES && !deliver(answer.payload))) {
        lose(cudaErrorDevicesUnavailable);
        return {state};
      }
      if (reply.flags & DELIVERIES) answer.payload.clear();
    }
    if (reply.flags & HOST_FUNCTION) {
      const bool runs_elsewhere = reply.values[1];
      runs_elsewhere ? std::this_thread::yield() : run_host_function(reply.values[0]);
      continue;
    }
    answer.status = static_cast<cudaError_t>(reply.status);
    memcpy(answer.values.data(), reply.values, sizeof reply.values);
    return answer;
  }
}

}  // namespace grader

// Uses the socket `fd` from now on; it belongs to the runtime. For a program that has no argument --device=N.
EXPORTED cudaError_t graderRuntimeConnect(int fd) {
  grader::forget_what_is_loaded();
  const std::lock_guard lock(grader::mutex);
  grader::lose(cudaErrorNoDevice);
  grader::use(fd);
  return grader::descriptor >= 0 ? cudaSuccess : grader::state;
}
