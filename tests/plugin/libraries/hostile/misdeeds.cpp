#include "misdeeds.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <thread>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

namespace {

constexpr int kMostDescriptors = 100;

[[noreturn]] void hang() {
  for (volatile int i = 0;; i = i + 1) {
  }
}

__attribute__((noinline)) int recurse(volatile char* above) {
  volatile char here[4096];
  here[0] = above[0];
  return recurse(here) + here[0];
}

// Calls `tell` with the number of every socket: the host's channel, and the device's. Which is which is in the command.
int descriptorOf(const char* option) {
  char text[4096];
  const int file = open("/proc/self/cmdline", O_RDONLY);
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  for (ssize_t at = 0; at < count; at += static_cast<ssize_t>(std::strlen(text + at)) + 1) {
    if (std::strncmp(text + at, option, std::strlen(option)) == 0) return std::atoi(text + at + std::strlen(option));
  }
  return -1;
}

void tell(int descriptor, const void* data, size_t bytes) { (void)!send(descriptor, data, bytes, MSG_NOSIGNAL); }

// An answer to the host's parent that looks well: a null, no time, no messages.
void forgeAnswer(const std::string& payload) {
  const uint64_t lengths[2] = {2, payload.size()};
  const int channel = descriptorOf("--channel=");
  tell(channel, lengths, sizeof lengths);
  tell(channel, "{}", 2);
  tell(channel, payload.data(), payload.size());
}

std::string head(char kind, int64_t value) {
  std::string made(1, kind);
  return made.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void forge() { forgeAnswer(head('l', 3) + head('n', 0) + head('d', 0) + head('l', 0)); }

void damage(const char* option, bool endless) {
  const std::string noise(1 << 16, '\xA7');
  const int descriptor = descriptorOf(option);
  for (int i = 0; endless || i < 1; ++i) {
    if (send(descriptor, noise.data(), noise.size(), MSG_NOSIGNAL) < 0) break;
  }
}

void forgeDevice() {  // a request of the runtime's protocol whose answer nobody waits for
  unsigned char frame[512] = {9};
  tell(descriptorOf("--device="), frame, sizeof frame);
}

void talk() {
  const std::string line(1 << 16, 'w');
  for (int i = 0; i < 1000; ++i) (void)!write(1, line.data(), line.size()), (void)!write(2, line.data(), line.size());
}

void daemon() {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  for (;;) pause();
}

void overwrite() {
  (void)!truncate(ownPath().c_str(), 0);
}

using Misdeeds = std::map<std::string, std::function<void()>>;

// A function, since a static object of another file may be the first to ask.
const Misdeeds& misdeeds() {
  static const Misdeeds& all = *new Misdeeds{
    {"exit", [] { std::exit(3); }},
    {"exit-0", [] { _exit(0); }},
    {"quick-exit", [] { std::quick_exit(0); }},
    {"abort", [] { std::abort(); }},
    {"hang", hang},
    {"sleep", [] { for (;;) pause(); }},
    {"deaf-hang", [] {
       sigset_t all;
       sigfillset(&all);
       sigprocmask(SIG_BLOCK, &all, nullptr);
       hang();
     }},
    {"stop", [] { raise(SIGSTOP); }},
    {"throw", [] { throw std::runtime_error("no such thing"); }},
    {"throw-number", [] { throw 7; }},
    {"throw-odd", [] { throw std::runtime_error("\x1b[31mred\x1b]0;title\x07 \xff\xfe\n<b>&amp; \x01 ]]> \xc2\x9b 31m"); }},
    {"throw-long", [] { throw std::runtime_error(std::string(4 << 20, 'x')); }},
    {"own-terminate", [] {
       std::set_terminate([] { hang(); });
       throw std::runtime_error("no such thing");
     }},
    {"null", [] { *reinterpret_cast<volatile int*>(8) = 1; }},
    {"wild", [] { *reinterpret_cast<volatile int*>(0x123456789000) = 1; }},
    {"device", [] { *reinterpret_cast<volatile char*>(0x700000001000) = 1; }},
    {"divide", [] { volatile int zero = 0, one = 1; one = one / zero; }},
    {"recurse", [] { volatile char here = 0; recurse(&here); }},
    {"eat", [] { for (;;) std::memset(std::malloc(64 << 20), 1, 64 << 20); }},
    {"fork", [] { for (int i = 0; i < 200; ++i) if (fork() == 0) for (;;) pause(); }},
    {"daemon", daemon},
    {"threads", [] { for (int i = 0; i < 8; ++i) std::thread(hang).detach(); }},
    {"thread-crash", [] { std::thread([] { usleep(50000); std::abort(); }).detach(); sleep(1); }},
    {"thread-exit", [] { pthread_exit(nullptr); }},
    {"close", [] { for (int i = 0; i <= kMostDescriptors; ++i) close(i); }},
    {"close-device", [] { close(descriptorOf("--device=")); }},
    {"no-descriptors", [] { const rlimit none{3, 3}; setrlimit(RLIMIT_NOFILE, &none); }},
    {"forge", forge},
    {"forge-list", [] { forgeAnswer(head('l', 3) + head('l', 1) + head('i', 7) + head('d', 0) + head('l', 0)); }},
    {"forge-many", [] { for (int i = 0; i < 1000; ++i) forge(); }},
    {"damage", [] { damage("--channel=", false); }},
    {"flood", [] { damage("--channel=", true); }},
    {"forge-device", forgeDevice},
    {"damage-device", [] { damage("--device=", false); }},
    {"flood-device", [] { damage("--device=", true); }},
    {"at-exit", [] { std::atexit([] { hang(); }); }},
    {"fault-loop", [] { signal(SIGSEGV, [](int) {}); *reinterpret_cast<volatile int*>(8) = 1; }},
    {"ignore-faults", [] { signal(SIGSEGV, SIG_IGN); *reinterpret_cast<volatile int*>(8) = 1; }},
    {"alarm", [] { alarm(1); }},
    {"kill-parent", [] { kill(getppid(), SIGKILL); }},
    {"stop-parent", [] { kill(getppid(), SIGTERM); }},
    {"kill-group", [] { kill(0, SIGKILL); }},
    {"talk", talk},
    {"last-words", [] { std::fputs("grader-host: exception \x1b[31mnot so\ngrader-host: fault 8 over \x1b[1mall\n", stderr); std::abort(); }},
    {"unlink", [] { unlink(ownPath().c_str()); }},
    {"overwrite", overwrite},
    {"chdir", [] { (void)!chdir("/"); }},
    {"reset", [] { cudaDeviceReset(); }},
  };
  return all;
}

}  // namespace

void misdeed(const std::string& what) {
  const auto found = misdeeds().find(what);
  if (found != misdeeds().end()) found->second();
}

std::string ownPath() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&misdeed), &info);
  return info.dli_fname == nullptr ? "" : info.dli_fname;
}
