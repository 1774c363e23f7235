// The journal: one JSON line for each call that TensorRT makes, written when the call is over.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <type_traits>

#include "words.h"

namespace tracer {

// Where lines go; nothing is written, nor even put into words, until `open` was called.
class Journal {
 public:
  static Journal& get();
  void open(const char* path);
  bool isOpen() const { return descriptor_ >= 0; }
  int64_t next() { return ++sequence_; }
  void write(const std::string& line);

 private:
  int descriptor_ = -1;
  std::atomic<int64_t> sequence_{0};
};

// Which object is meant: "Double#3" is the third that was made of the plugin Double, in this process.
std::string nameOf(const char* plugin);

// One call. `seq` counts calls as they begin, so that what one thread does within another's call can be told.
class Call {
 public:
  Call(const std::string& object, const char* interface, const char* method)
      : object_(object), interface_(interface), method_(method), open_(Journal::get().isOpen()) {
    if (open_) sequence_ = Journal::get().next();
  }

  bool isOpen() const { return open_; }

  Call& with(const char* key, const std::string& value) {
    arguments_.add(key, value);
    return *this;
  }

  // Make the call and write the line; `say(result)` puts the result into words.
  template <class Make, class Say>
  auto result(Make make, Say say) {
    const auto start = std::chrono::steady_clock::now();
    auto made = make();
    end(start, [&] { return say(made); });
    return made;
  }

  template <class Make>
  auto operator()(Make make) {
    if constexpr (std::is_void_v<decltype(make())>) {
      const auto start = std::chrono::steady_clock::now();
      make();
      end(start, [] { return std::string("null"); });
    } else {
      return result(make, [](const auto& made) { return words(made); });
    }
  }

 private:
  template <class Say>
  void end(std::chrono::steady_clock::time_point start, Say say) {
    if (!open_) return;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    json::Object line;
    line.add("seq", json::number(sequence_)).add("object", json::text(object_));
    line.add("interface", json::text(interface_)).add("method", json::text(method_));
    line.add("arguments", arguments_.str()).add("result", say()).add("seconds", json::number(seconds.count()));
    line.add("process", json::number(int64_t{getpid()})).add("thread", json::number(int64_t{syscall(SYS_gettid)}));
    Journal::get().write(line.str());
  }

  const std::string& object_;
  const char* interface_;
  const char* method_;
  bool open_;
  int64_t sequence_ = 0;
  json::Object arguments_;
};

}  // namespace tracer
