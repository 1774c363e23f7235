#include "journal.h"

#include <fcntl.h>

#include <map>
#include <mutex>

namespace tracer {

Journal& Journal::get() {
  static Journal* journal = new Journal;  // lives to the very end: destructors of plugins write too
  return *journal;
}

void Journal::open(const char* path) {
  if (descriptor_ < 0) descriptor_ = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

void Journal::write(const std::string& line) {
  // In one piece: O_APPEND keeps lines of several threads and processes whole. A disk that is full loses lines; the
  // plugin goes on.
  const std::string whole = line + '\n';
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, whole.data(), whole.size());
}

std::string nameOf(const char* plugin) {
  static std::mutex* mutex = new std::mutex;
  static auto* counts = new std::map<std::string, int>;
  const std::string name = plugin == nullptr ? "?" : plugin;
  const std::lock_guard<std::mutex> lock(*mutex);
  return name + "#" + std::to_string(++(*counts)[name]);
}

}  // namespace tracer
