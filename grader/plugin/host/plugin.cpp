#include "plugin.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>

namespace host {
namespace {

std::map<int64_t, std::unique_ptr<Plugin>> gPlugins;
int64_t gLast = 0;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Another one in another process, where the parent says so.
unsigned char firstFill() {
  const char* given = std::getenv("GRADER_FILL");
  return given == nullptr ? 0 : static_cast<unsigned char>(std::atoi(given));
}

}  // namespace

thread_local double lastSeconds = 0;

Stopwatch::Stopwatch() : began_(now()) {}
Stopwatch::~Stopwatch() { lastSeconds = now() - began_; }

Scrub::~Scrub() {
  static thread_local unsigned char byte = firstFill();
  char below[16 << 10];
  std::memset(below, ++byte | 0x80, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory");
}

int64_t keep(std::unique_ptr<Plugin> plugin) {
  gPlugins[++gLast] = std::move(plugin);
  return gLast;
}

Plugin* keptPlugin(int64_t number) {
  const auto found = gPlugins.find(number);
  return found == gPlugins.end() ? nullptr : found->second.get();
}

void forget(int64_t number) { gPlugins.erase(number); }

Value kept(Plugin* plugin) {
  if (plugin == nullptr) return Value();
  const auto address = reinterpret_cast<int64_t>(plugin->address());
  return List{keep(std::unique_ptr<Plugin>(plugin)), address};
}

}  // namespace host
