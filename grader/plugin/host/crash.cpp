#include "crash.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <initializer_list>
#include <typeinfo>
#include <unistd.h>

#include "guarded.h"

namespace host {
namespace {

constexpr uint64_t kDeviceBase = 0x700000000000;  // grader/simulator/runtime/protocol.py
constexpr uint64_t kDeviceBytes = 8ull << 40;

// Texts are put together by hand: nothing else is safe in a signal handler.
struct Line {
  char text[512];
  size_t used = 0;

  void add(const char* part) {
    while (*part != 0 && used < sizeof text - 1) text[used++] = *part++;
  }
  void add(uint64_t number, unsigned base) {
    char digits[24];
    int count = 0;
    do digits[count++] = "0123456789abcdef"[number % base];
    while ((number /= base) != 0);
    while (count > 0 && used < sizeof text - 1) text[used++] = digits[--count];
  }
  void say() {
    text[used++] = '\n';
    if (write(STDERR_FILENO, text, used) < 0) return;
  }
};

// One line: "grader-host: fault ADDRESS KIND ...", kinds "device", "past-end OFFSET BYTES WHAT", "over WHAT", "other".
void onFault(int number, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uint64_t>(info->si_addr);
  Line line;
  line.add("grader-host: fault ");
  line.add(address, 16);
  if (address >= kDeviceBase && address < kDeviceBase + kDeviceBytes) {
    line.add(" device");
  } else if (const Lent* lent = lentAt(info->si_addr)) {
    if (lent->over) {
      line.add(" over ");
    } else {
      line.add(" past-end ");
      line.add(address - reinterpret_cast<uint64_t>(lent->data), 10);
      line.add(" ");
      line.add(lent->used, 10);
      line.add(" ");
    }
    line.add(lent->what);
  } else {
    line.add(" other");
  }
  line.say();
  signal(number, SIG_DFL);
  raise(number);
}

// "grader-host: exception TYPE: what". Runs when an exception leaves a noexcept function.
[[noreturn]] void onTerminate() {
  if (const std::type_info* type = abi::__cxa_current_exception_type()) {
    int status = 0;
    char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
    std::fprintf(stderr, "grader-host: exception %s", status == 0 ? name : type->name());
    try {
      throw;
    } catch (const std::exception& error) {
      std::fprintf(stderr, ": %s", error.what());
    } catch (...) {
    }
    std::fputs("\n", stderr);
  }
  std::abort();
}

}  // namespace

void installLastWords() {
  static char stack[64 << 10];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, nullptr);
  std::set_terminate(onTerminate);
}

}  // namespace host
