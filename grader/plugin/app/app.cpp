// An application that loads plugin libraries in its own way and then asks NVIDIA's registry for a creator.
//
//   app LIBNVINFER_LEAN.so.10 --channel=N
//
// Started by grader/plugin/application.py. The request is a line for each thing to do, "HOW<tab>TEXT"; the answer is one
// JSON object. It may crash inside a library, which is an answer too.
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <dlfcn.h>

#include <NvInferRuntime.h>

#include "grader_channel.hpp"
#include "json_text.h"

using namespace nvinfer1;
namespace json = grader::json;

namespace {

// The registry says why it refuses something to an error recorder, if the application has set one.
class Recorder final : public IErrorRecorder {
 public:
  int32_t getNbErrors() const noexcept override { return 0; }
  ErrorCode getErrorCode(int32_t) const noexcept override { return ErrorCode::kSUCCESS; }
  ErrorDesc getErrorDesc(int32_t) const noexcept override { return ""; }
  bool hasOverflowed() const noexcept override { return false; }
  void clear() noexcept override {}
  bool reportError(ErrorCode, ErrorDesc text) noexcept override {
    said.push_back(text == nullptr ? "" : text);
    return true;
  }
  RefCount incRefCount() noexcept override { return 1; }
  RefCount decRefCount() noexcept override { return 1; }

  std::vector<std::string> said;
};

Recorder gRecorder;

std::string saidSince(size_t before) {
  return json::list(static_cast<int64_t>(gRecorder.said.size() - before),
                    [&](int64_t i) { return json::text(gRecorder.said[before + static_cast<size_t>(i)]); });
}

std::vector<IPluginCreatorInterface*> creatorsOf(const IPluginRegistry& registry) {
  int32_t count = 0;
  IPluginCreatorInterface* const* all = registry.getAllCreators(&count);
  return all == nullptr ? std::vector<IPluginCreatorInterface*>() : std::vector<IPluginCreatorInterface*>(all, all + count);
}

// The file that an object's class comes from: its virtual table lies there.
std::string fileOf(const IPluginCreatorInterface* object) {
  void* table = nullptr;
  std::memcpy(&table, object, sizeof table);
  Dl_info found{};
  return dladdr(table, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname : "";
}

template <class Creator>
std::string row(const Creator& creator, const std::string& file) {
  const std::string parts[] = {json::text(creator.getPluginName()), json::text(creator.getPluginVersion()),
                               json::text(creator.getPluginNamespace()), json::text(file)};
  return json::list(4, [&](int64_t i) { return parts[i]; });
}

std::string row(IPluginCreatorInterface* creator) {
  const char* kind = creator->getInterfaceInfo().kind;
  const std::string file = fileOf(creator);
  if (kind != nullptr && std::strcmp(kind, "PLUGIN CREATOR_V3ONE") == 0)
    return row(*static_cast<IPluginCreatorV3One*>(creator), file);
  return row(*static_cast<IPluginCreator*>(creator), file);
}

std::vector<std::string> partsOf(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char each : text) {
    if (each == separator) parts.emplace_back();
    else parts.back() += each;
  }
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  grader::Channel channel(argc, argv);
  std::string request;
  std::vector<unsigned char> payload;
  if (argc != 3 || !channel.receive(request, payload)) return 2;
  void* lean = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  const auto find = lean ? reinterpret_cast<IPluginRegistry* (*)()>(dlsym(lean, "getPluginRegistry")) : nullptr;
  if (find == nullptr) {
    channel.send(json::Object().add("problem", json::text(lean ? "no registry in it" : dlerror())).str());
    return 0;
  }
  IPluginRegistry& registry = *find();
  std::map<std::string, void*> handles;
  std::string steps, creators;
  json::Object report;
  for (const std::string& line : partsOf(std::string(payload.begin(), payload.end()), '\n')) {
    const std::vector<std::string> parts = partsOf(line, '\t');
    const std::string& how = parts[0];
    const size_t before = gRecorder.said.size();
    if (how == "listen") {
      registry.setErrorRecorder(&gRecorder);
    } else if (how == "getCreator" && parts.size() == 4) {
      for (IPluginCreatorInterface* each : creatorsOf(registry)) (creators += creators.empty() ? "" : ", ") += row(each);
      IPluginCreatorInterface* found = registry.getCreator(parts[1].c_str(), parts[2].c_str(), parts[3].c_str());
      report.add("found", found == nullptr ? "null" : json::text(fileOf(found))).add("said", saidSince(before));
    } else if (parts.size() == 2) {
      const char* file = parts[1].c_str();
      std::string result = "handle", error;
      if (how == "dlopen") {
        if (dlopen(file, RTLD_NOW | RTLD_LOCAL) == nullptr) result = "null", error = dlerror();
      } else if (how == "loadLibrary") {
        void* handle = registry.loadLibrary(file);
        if (handle == nullptr) result = "null";
        else handles[parts[1]] = handle;
      } else {
        registry.deregisterLibrary(handles[parts[1]]);
        result = "";
      }
      json::Object step;
      step.add("result", json::text(result)).add("error", json::text(error)).add("said", saidSince(before));
      (steps += steps.empty() ? "" : ", ") += step.str();
    }
  }
  channel.send(report.add("steps", "[" + steps + "]").add("creators", "[" + creators + "]").str());
  std::_Exit(0);  // what destructors at exit do is not asked here
}
