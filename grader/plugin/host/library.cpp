#include "library.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
#include <memory>
#include <vector>

#include <NvInferRuntime.h>

#include "descriptors.h"
#include "plugin.h"
#include "resources.h"

using namespace nvinfer1;

namespace host {
namespace {

constexpr int32_t kMostCreators = 10000;

IPluginRegistry* gRegistry = nullptr;
void* gLibrary = nullptr;
void* gHandle = nullptr;  // of the registry
std::vector<IPluginCreatorInterface*> gCreators;
std::vector<IPluginCreatorInterface*> gBefore;  // in the registry before the library came
std::string gPath;

void* symbol(const char* name) { return gLibrary == nullptr ? nullptr : dlsym(gLibrary, name); }

bool isKind(IPluginCreatorInterface* creator, const char* kind) {
  const char* found = creator->getInterfaceInfo().kind;
  return found != nullptr && std::strcmp(found, kind) == 0;
}

IPluginCreatorV3One* v3(IPluginCreatorInterface* creator) {
  return isKind(creator, "PLUGIN CREATOR_V3ONE") ? static_cast<IPluginCreatorV3One*>(creator) : nullptr;
}

IPluginCreator* v1(IPluginCreatorInterface* creator) {
  return isKind(creator, "PLUGIN CREATOR_V1") ? static_cast<IPluginCreator*>(creator) : nullptr;
}

IPluginCreatorInterface* creatorAt(int64_t number) {
  const bool there = number >= 0 && static_cast<size_t>(number) < gCreators.size();
  return there ? gCreators[static_cast<size_t>(number)] : nullptr;
}

int64_t numberOf(IPluginCreatorInterface* creator) {
  const auto found = std::find(gCreators.begin(), gCreators.end(), creator);
  if (found != gCreators.end()) return found - gCreators.begin();
  gCreators.push_back(creator);
  return static_cast<int64_t>(gCreators.size()) - 1;
}

std::vector<IPluginCreatorInterface*> registered() {
  int32_t count = 0;
  IPluginCreatorInterface* const* all = gRegistry->getAllCreators(&count);
  return all == nullptr ? std::vector<IPluginCreatorInterface*>() : std::vector<IPluginCreatorInterface*>(all, all + count);
}

Value newcomers(const std::vector<IPluginCreatorInterface*>& before) {
  List numbers;
  for (IPluginCreatorInterface* creator : registered()) {
    if (std::find(before.begin(), before.end(), creator) == before.end()) numbers.push_back(numberOf(creator));
  }
  return numbers;
}

// [number or null, ...] of what an entry point lists; null without the entry point.
template <typename Creator>
Value listed(const char* entry, int32_t& count) {
  const auto function = reinterpret_cast<Creator* const* (*)(int32_t&)>(symbol(entry));
  if (function == nullptr) return Value();
  Creator* const* all = function(count);
  List numbers;
  for (int32_t i = 0; all != nullptr && i < std::min(count, kMostCreators); ++i) {
    numbers.push_back(all[i] == nullptr ? Value() : Value(numberOf(all[i])));
  }
  return numbers;
}

IPluginV3* createV3(IPluginCreatorV3One* creator, const Value& name, const Value& fields, TensorRTPhase phase) {
  Fields lent(fields);
  return TIMED(creator->createPlugin(name.text().c_str(), lent.get(), phase));
}

IPluginV2* createV2(IPluginCreator* creator, const Value& name, const Value& fields) {
  Fields lent(fields);
  return TIMED(creator->createPlugin(name.text().c_str(), lent.get()));
}

}  // namespace

std::string openRegistry(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return dlerror();
  const auto get = reinterpret_cast<IPluginRegistry* (*)()>(dlsym(library, "getPluginRegistry"));
  gRegistry = get == nullptr ? nullptr : get();
  return gRegistry == nullptr ? "it has no plugin registry" : "";
}

// [error], or [null, entry points, creators that registered themselves]
Value openLibrary(const std::string& path) {
  gBefore = registered();
  gPath = path;
  gLibrary = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (gLibrary == nullptr) return List{Value(dlerror())};
  const Value selfRegistered = newcomers(gBefore);
  List entries;
  for (const char* name : {"getCreators", "getPluginCreators", "setLoggerFinder"}) {
    if (dlsym(gLibrary, name) != nullptr) entries.push_back(Value(name));
  }
  return List{Value(), entries, selfRegistered};
}

Value giveLogger() {
  if (const auto set = reinterpret_cast<void (*)(ILoggerFinder*)>(symbol("setLoggerFinder"))) set(&loggerFinder());
  return Value();
}

// [creators by getCreators, its count, whether loadLibrary took it (null where it was not asked), registered now]
Value listCreators() {
  int32_t count = 0;
  Value byEntry = listed<IPluginCreatorInterface>("getCreators", count);
  if (byEntry.isNull()) byEntry = listed<IPluginCreator>("getPluginCreators", count);  // the entry point of 8.6 and 9.x
  Value taken;
  if (!byEntry.isNull()) {
    gHandle = gRegistry->loadLibrary(gPath.c_str());
    taken = gHandle != nullptr;
  }
  return List{byEntry, count, taken, newcomers(gBefore)};
}

Value closeLibrary() {
  if (gHandle != nullptr) gRegistry->deregisterLibrary(gHandle);
  gHandle = nullptr;
  const int status = gLibrary == nullptr ? 0 : dlclose(gLibrary);
  gLibrary = nullptr;
  return status == 0;
}

Value creatorFacts(int64_t number) {
  IPluginCreatorInterface* creator = creatorAt(number);
  if (creator == nullptr) return Value();
  const InterfaceInfo info = creator->getInterfaceInfo();
  if (auto* one = v3(creator)) {
    return List{Value(info.kind), info.major, Value(one->getPluginName()), Value(one->getPluginVersion()),
                Value(one->getPluginNamespace()), valueOf(one->getFieldNames())};
  }
  if (auto* old = v1(creator)) {
    return List{Value(info.kind), info.major, Value(old->getPluginName()), Value(old->getPluginVersion()),
                Value(old->getPluginNamespace()), valueOf(old->getFieldNames())};
  }
  return List{Value(info.kind), info.major, Value(), Value(), Value(), Value()};
}

Value lookUp(const Value& name, const Value& version, const Value& pluginNamespace) {
  IPluginCreatorInterface* found =
      gRegistry->getCreator(name.text().c_str(), version.text().c_str(), pluginNamespace.text().c_str());
  return found == nullptr ? Value() : Value(numberOf(found));
}

Value registerCreator(int64_t number, const Value& pluginNamespace) {
  IPluginCreatorInterface* creator = creatorAt(number);
  return creator != nullptr && gRegistry->registerCreator(*creator, pluginNamespace.text().c_str());
}

namespace {

// A V2 plugin that was made. One of an older family than IPluginV2DynamicExt cannot be driven: [0, its family].
Value keptV2(IPluginV2* made) {
  Plugin* plugin = wrap(made);
  if (made == nullptr || plugin != nullptr) return kept(plugin);
  return List{int64_t{0}, static_cast<int64_t>(static_cast<uint32_t>(made->getTensorRTVersion()) >> 24)};
}

}  // namespace

Value createPlugin(const Value& a) {
  IPluginCreatorInterface* creator = creatorAt(a[0].integer());
  if (creator == nullptr) return Value();
  if (auto* one = v3(creator)) return kept(wrap(createV3(one, a[1], a[2], static_cast<TensorRTPhase>(a[3].small()))));
  if (auto* old = v1(creator)) return keptV2(createV2(old, a[1], a[2]));
  return Value();
}

Value deserializePlugin(const Value& a) {
  IPluginCreatorInterface* creator = creatorAt(a[0].integer());
  IPluginCreator* old = creator == nullptr ? nullptr : v1(creator);
  if (old == nullptr) return Value();
  if (a[2].isNull()) return keptV2(TIMED(old->deserializePlugin(a[1].text().c_str(), nullptr, 0)));
  const std::string& bytes = a[2].text();
  LentArray<char> blob("the serialized data", bytes.size());
  std::memcpy(blob.data(), bytes.data(), bytes.size());
  return keptV2(TIMED(old->deserializePlugin(a[1].text().c_str(), blob.data(), bytes.size())));
}

namespace {

Plugin* newPlugin(IPluginCreatorInterface* creator, const Value& name, const Value& fields) {
  if (auto* one = v3(creator)) return wrap(createV3(one, name, fields, TensorRTPhase::kBUILD));
  if (auto* old = v1(creator)) return wrap(createV2(old, name, fields));
  return nullptr;
}

// One life without a step of the parent: created, configured, cloned, attached, run if `run` says how, ended. `build` is
// [descriptors of the inputs, of the outputs, tactic], or null where nobody knows the inputs.
bool oneLife(IPluginCreatorInterface* creator, const Value& name, const Value& fields, const Value& run,
             const Value& build) {
  const std::unique_ptr<Plugin> first(newPlugin(creator, name, fields));
  if (first == nullptr) return false;
  bool known = false, alright = true;
  const Value nothing;
  if (!build.isNull()) first->call("configurePlugin", build, known);
  first->call("initialize", nothing, known);  // V2 alone knows it
  if (!build.isNull()) first->call("setTactic", List{build[2]}, known);  // V3 alone
  first->call(v3(creator) != nullptr ? "getFieldsToSerialize" : "serialize", nothing, known);
  const std::unique_ptr<Plugin> clone(first->cloned());
  const std::unique_ptr<Plugin> context(first->attached());
  if (!run.isNull() && context != nullptr) {
    alright = context->shapeChange(run[0], run[1]) == 0 && context->run(run[2]) == 0;
  }
  if (context != nullptr && context->address() != first->address()) {
    context->call("detachFromContext", nothing, known);
    context->end();
  }
  if (clone != nullptr && clone->address() != first->address()) clone->end();
  first->call("terminate", nothing, known);
  first->end();
  return alright && clone != nullptr && context != nullptr;
}

int64_t bytesInUse() {
  const struct mallinfo2 facts = mallinfo2();
  return static_cast<int64_t>(facts.uordblks + facts.hblkhd);
}

}  // namespace

// Returns [how many lives went well, bytes on the heap before, after]. Eight lives before the first look warm things up.
Value manyLives(const Value& a) {
  constexpr int64_t kWarmUp = 8;
  IPluginCreatorInterface* creator = creatorAt(a[0].integer());
  if (creator == nullptr) return Value();
  int64_t well = 0, before = 0;
  for (int64_t i = 0; i < kWarmUp + a[3].integer(); ++i) {
    if (i == kWarmUp) before = bytesInUse();
    const bool good = oneLife(creator, a[1], a[2], a[4], a[5]);
    well += i >= kWarmUp && good;
  }
  return List{well, before, bytesInUse()};
}

}  // namespace host
