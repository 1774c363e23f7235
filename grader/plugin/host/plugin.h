// A plugin object of any interface family, called by the name of a TensorRT method.
#pragma once

#include <memory>
#include <string>

#include <NvInferRuntime.h>

#include "value.h"

namespace host {

class Plugin {
 public:
  virtual ~Plugin() = default;
  // Call a method. An unknown one, or one of a capability that the object has not: a null value, and `known` is false.
  virtual Value call(const std::string& method, const Value& arguments, bool& known) = 0;
  // Has the object removed as its family wants it: delete, or destroy().
  virtual void end() = 0;
  virtual const void* address() const = 0;

  // What lives over many lives and threads calls, without the parent's words in between.
  virtual Plugin* cloned() = 0;
  virtual Plugin* attached() = 0;
  virtual int32_t shapeChange(const Value& inputs, const Value& outputs) = 0;
  virtual int32_t run(const Value& arguments) = 0;
};

// Objects by the numbers that the parent uses; 0 is none.
int64_t keep(std::unique_ptr<Plugin> plugin);
Plugin* keptPlugin(int64_t number);
void forget(int64_t number);
Value kept(Plugin* plugin);  // [its number, its address]; a null value for null

Plugin* wrap(nvinfer1::IPluginV3* plugin);
Plugin* wrap(nvinfer1::IPluginV2* plugin);  // null where it is no IPluginV2DynamicExt; the object is left alone then

// The seconds of the last call into a plugin in this thread.
extern thread_local double lastSeconds;

class Stopwatch {
 public:
  Stopwatch();
  ~Stopwatch();

 private:
  double began_;
};

// Stack between the host's frames and the plugin's: what the host does afterwards does not overwrite what the plugin left
// there, so that a pointer into it is read as what ~Scrub wrote.
struct Gap {
  ~Gap() { __asm__ volatile("" : : "r"(bytes) : "memory"); }
  char bytes[64 << 10];
};

// Overwrites the stack that the call before used, each time with another byte: what a method returned a pointer to must
// not have been a local variable of it. In `deeper`, above all frames of the call: a stopwatch's own would stay.
struct Scrub {
  __attribute__((noinline)) ~Scrub();
};

template <typename Call>
__attribute__((noinline)) auto deeper(Call call) {
  Gap gap;
  const Scrub scrub;
  __asm__ volatile("" : : "r"(gap.bytes) : "memory");
  return call();
}

// `Timed<...> call` would hide the call itself: the macro keeps the line readable where it stands.
#define TIMED(expression)          \
  ::host::deeper([&] {             \
    const ::host::Stopwatch watch; \
    return expression;             \
  })

}  // namespace host
