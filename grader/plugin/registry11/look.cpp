// Loads a plugin library through the registry of TensorRT 11 and says what the registry knows afterwards.
//
//   look LIBNVINFER_LEAN.so.11 PLUGIN.so --channel=N
//
// Started by grader/plugin/second_registry.py; it may crash inside the library, which is a finding: before every step it
// sends {"step": ...}, so that the last frame says where.
//
// The registry's interface is spelled out here because the headers at hand are of TensorRT 10: TensorRT 11.0 removed the
// four methods that deal in IPluginCreator (registerCreator, getPluginCreatorList, getPluginCreator, deregisterCreator:
// "TensorRT 10.x to 11.x C++ API migration", removed methods), so that every later method moved up in the virtual table.
// That this is the order was found by calling: it agrees, library by library, with what the Python bindings of 11.4.0.106
// report. Creators are of the library at hand and keep the interface that the library was built with.
#include <cstdio>
#include <string>
#include <vector>

#include <dlfcn.h>

#include <NvInferRuntime.h>

#include "grader_channel.hpp"
#include "json_text.h"

namespace json = grader::json;

namespace {

class Registry11 {
 public:
  virtual ~Registry11() = default;
  virtual void setErrorRecorder(void* recorder) noexcept = 0;
  virtual void* getErrorRecorder() const noexcept = 0;
  virtual bool isParentSearchEnabled() const = 0;
  virtual void setParentSearchEnabled(bool enabled) = 0;
  virtual void* loadLibrary(const char* path) noexcept = 0;
  virtual void deregisterLibrary(void* handle) noexcept = 0;
  virtual bool registerCreator(nvinfer1::IPluginCreatorInterface& creator, const char* space) noexcept = 0;
  virtual nvinfer1::IPluginCreatorInterface* const* getAllCreators(int32_t* count) const noexcept = 0;
  virtual nvinfer1::IPluginCreatorInterface* getCreator(const char* name, const char* version,
                                                        const char* space) noexcept = 0;
};

using Creator = nvinfer1::IPluginCreatorInterface;

std::vector<Creator*> creatorsOf(const Registry11& registry) {
  int32_t count = 0;
  Creator* const* all = registry.getAllCreators(&count);
  return all == nullptr ? std::vector<Creator*>() : std::vector<Creator*>(all, all + count);
}

std::string fieldsOf(const nvinfer1::PluginFieldCollection* fields) {
  if (fields == nullptr) return "null";
  return json::list(fields->fields == nullptr ? 0 : fields->nbFields, [&](int64_t i) {
    const nvinfer1::PluginField& field = fields->fields[i];
    return json::list(3, [&](int64_t part) {
      return part == 0 ? json::text(field.name)
                       : json::number(int64_t{part == 1 ? static_cast<int32_t>(field.type) : field.length});
    });
  });
}

// What one creator says of itself, whether the registry finds it by that, and whether it makes a plugin of no fields.
template <class T, class Create>
std::string describe(Registry11& registry, T& creator, const std::string& interface, Create create) {
  const char* name = creator.getPluginName();
  const char* version = creator.getPluginVersion();
  const char* space = creator.getPluginNamespace();
  json::Object said;
  said.add("interface", json::text(interface)).add("name", json::text(name)).add("version", json::text(version));
  said.add("namespace", json::text(space)).add("fields", fieldsOf(creator.getFieldNames()));
  const bool named = name != nullptr && version != nullptr && space != nullptr;
  said.add("found", json::boolean(named && registry.getCreator(name, version, space) == &creator));
  return said.add("creates", json::boolean(create())).str();
}

std::string describe(Registry11& registry, Creator& creator) {
  const nvinfer1::InterfaceInfo info = creator.getInterfaceInfo();
  const std::string kind = info.kind == nullptr ? "" : info.kind;
  const std::string interface = kind + " " + std::to_string(info.major) + "." + std::to_string(info.minor);
  static const nvinfer1::PluginFieldCollection none{0, nullptr};
  if (kind == "PLUGIN CREATOR_V3ONE") {
    auto& v3 = static_cast<nvinfer1::IPluginCreatorV3One&>(creator);
    return describe(registry, v3, interface, [&] {
      nvinfer1::IPluginV3* plugin = v3.createPlugin("layer", &none, nvinfer1::TensorRTPhase::kBUILD);
      delete plugin;
      return plugin != nullptr;
    });
  }
  if (kind == "PLUGIN CREATOR_V1") {
    auto& v1 = static_cast<nvinfer1::IPluginCreator&>(creator);
    return describe(registry, v1, interface, [&] {
      nvinfer1::IPluginV2* plugin = v1.createPlugin("layer", &none);
      if (plugin != nullptr) plugin->destroy();
      return plugin != nullptr;
    });
  }
  return json::Object().add("interface", json::text(interface)).str();
}

}  // namespace

int main(int argc, char** argv) {
  grader::Channel channel(argc, argv);
  std::string request;
  std::vector<unsigned char> payload;
  if (argc != 4 || !channel.receive(request, payload)) return 2;
  const auto step = [&](const char* name) { channel.send(json::Object().add("step", json::text(name)).str()); };

  void* lean = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  const auto version = lean ? reinterpret_cast<int32_t (*)()>(dlsym(lean, "getInferLibVersion")) : nullptr;
  const auto find = lean ? reinterpret_cast<Registry11* (*)()>(dlsym(lean, "getPluginRegistry")) : nullptr;
  if (version == nullptr || find == nullptr) {
    channel.send(json::Object().add("problem", json::text(lean ? "no registry in it" : dlerror())).str());
    return 0;
  }
  json::Object report;
  report.add("tensorrt", json::number(int64_t{version()}));
  if (version() / 10000 != 11) {  // another major version may have another order of methods: call none
    channel.send(report.add("problem", json::text("this is not TensorRT 11")).str());
    return 0;
  }
  Registry11& registry = *find();
  const std::vector<Creator*> before = creatorsOf(registry);
  step("load");
  if (registry.loadLibrary(argv[2]) == nullptr) {
    step("look");
    void* library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    report.add("loaded", "false").add("error", library ? "null" : json::text(dlerror()));
    report.add("getCreators", json::boolean(library && dlsym(library, "getCreators")));
    report.add("setLoggerFinder", json::boolean(library && dlsym(library, "setLoggerFinder")));
    channel.send(report.str());
    std::_Exit(0);
  }
  report.add("loaded", "true");
  std::string said;
  for (Creator* creator : creatorsOf(registry)) {
    bool known = false;
    for (Creator* old : before) known = known || old == creator;
    if (known) continue;
    step("creators");
    (said += said.empty() ? "" : ", ") += describe(registry, *creator);
  }
  channel.send(report.add("creators", "[" + said + "]").str());
  std::_Exit(0);  // what destructors at exit do in a foreign registry is not asked here
}
