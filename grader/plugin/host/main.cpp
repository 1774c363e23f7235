// The plugin host: a process that loads one plugin library and calls it as the parent says, one command at a time.
//
//   host REGISTRY CUDA [--device=N] --channel=N
//
// REGISTRY is libnvinfer_lean.so.10, CUDA the CUDA runtime to load before the library, or "-" for none. A command is a
// frame whose payload is a list [name, arguments, a number]; the answer's payload is a list [the number, result, seconds in
// the plugin, messages of its log], and a problem behind them where the command could not be done. What the library does
// to this process shows in how the process ends.
#include <cstdio>
#include <cstring>
#include <string>

#include "crash.h"
#include "cuda.h"
#include "fuzz.h"
#include "grader_channel.hpp"
#include "gpu.h"
#include "library.h"
#include "plugin.h"
#include "resources.h"
#include "threads.h"
#include "value.h"

namespace host {
namespace {

constexpr int kNoChannel = 71;  // exit code where nobody can be answered: the library closed the channel

Value onPlugin(const Value& a, std::string& problem) {  // [number, method, arguments]
  Plugin* plugin = keptPlugin(a[0].integer());
  if (plugin == nullptr) return problem = "there is no such plugin object", Value();
  bool known = false;
  Value result = plugin->call(a[1].text(), a[2], known);
  if (!known) problem = "the object has no method " + a[1].text();
  return result;
}

Value end(const Value& a) {  // [number]
  Plugin* plugin = keptPlugin(a[0].integer());
  if (plugin == nullptr) return Value();
  {
    const Stopwatch watch;
    plugin->end();
  }
  forget(a[0].integer());
  return Value(true);
}

Value perform(const std::string& name, const Value& a, std::string& problem) {
  if (name == "call") return onPlugin(a, problem);
  if (name == "load") return openLibrary(a[0].text());
  if (name == "logger") return giveLogger();
  if (name == "list") return listCreators();
  if (name == "unload") return closeLibrary();
  if (name == "creator") return creatorFacts(a[0].integer());
  if (name == "look-up") return lookUp(a[0], a[1], a[2]);
  if (name == "register") return registerCreator(a[0].integer(), a[1]);
  if (name == "create") return createPlugin(a);
  if (name == "deserialize") return deserializePlugin(a);
  if (name == "end") return end(a);
  if (name == "forget") return forget(a[0].integer()), Value();
  if (name == "lives") return manyLives(a);
  if (name == "fuzz") return fuzz(a);
  if (name == "threads") return runInThreads(a);
  if (name == "gpu") return onGpu(a, problem);
  problem = "there is no command " + name;
  return Value();
}

bool answer(grader::Channel& channel, const List& parts) {
  std::string payload;
  Value(parts).encode(payload);
  return channel.send("{}", payload.data(), payload.size());
}

}  // namespace
}  // namespace host

int main(int argc, char** argv) {
  using namespace host;
  if (argc < 4) {
    std::fputs("usage: host REGISTRY CUDA [--device=N] --channel=N\n", stderr);
    return 2;
  }
  installLastWords();
  grader::Channel channel(argc, argv);
  std::string trouble;
  if (std::strcmp(argv[2], "-") != 0) trouble = loadCuda(argv[2]);
  if (trouble.empty()) trouble = openRegistry(argv[1]);

  std::string header;
  std::vector<unsigned char> payload;
  while (channel.receive(header, payload)) {
    const unsigned char* at = payload.data();
    Value command;
    std::string problem = trouble;
    Value result;
    lastSeconds = 0;
    if (!Value::decode(at, at + payload.size(), command)) problem = "the command cannot be read";
    if (problem.empty()) result = perform(command[0].text(), command[1], problem);
    List parts{command[2], result, lastSeconds, takeMessages()};
    if (!problem.empty()) parts.push_back(problem);
    if (!answer(channel, parts)) std::_Exit(kNoChannel);
  }
  // Static objects of the library are not torn down: what that does is tested by "unload", not by every end.
  std::_Exit(0);
}
