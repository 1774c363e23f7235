// The tracing library: a plugin library that stands for another one and keeps a journal of all calls.
//
// Beside the file TRACER.so lies TRACER.so.trace with two lines: the path of the library that it stands for, and the path
// of the journal. It is loaded wherever the other would be (loadLibrary, --dynamicPlugins, our own host), registers
// creators under the same names, versions and namespaces, and so serves plans of the other library too.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "journal.h"
#include "traced.h"

using namespace nvinfer1;

namespace tracer {
namespace {

struct Library {
  void* handle = nullptr;
  std::vector<IPluginCreatorInterface*> creators;
  std::vector<std::unique_ptr<IPluginCreatorInterface>> stands;
  std::vector<IPluginCreatorInterface*> given;
};

using Find = IPluginRegistry* (*)();

// TensorRT's registry, whichever library of TensorRT is in this process. It is searched for, not linked: this library is
// not linked with a TensorRT of its own, and Python loads TensorRT so that its symbols are not there for all.
IPluginRegistry* registry() {
  static Find find = [] {
    if (void* found = dlsym(RTLD_DEFAULT, "getPluginRegistry")) return reinterpret_cast<Find>(found);
    Find one = nullptr;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* result) {
          if (std::strstr(info->dlpi_name, "nvinfer") == nullptr) return 0;
          void* handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
          void* found = handle == nullptr ? nullptr : dlsym(handle, "getPluginRegistry");
          *static_cast<Find*>(result) = reinterpret_cast<Find>(found);
          return found != nullptr ? 1 : 0;
        },
        &one);
    return one;
  }();
  return find == nullptr ? nullptr : find();
}

std::vector<IPluginCreatorInterface*> registered() {
  int32_t count = 0;
  IPluginCreatorInterface* const* all = registry() == nullptr ? nullptr : registry()->getAllCreators(&count);
  return all == nullptr ? std::vector<IPluginCreatorInterface*>() : std::vector<IPluginCreatorInterface*>(all, all + count);
}

// Take over what was registered since `before`: it leaves the registry, so that the names are free for the stand-ins.
void takeNewcomers(Library& library, const std::vector<IPluginCreatorInterface*>& before) {
  for (IPluginCreatorInterface* creator : registered()) {
    bool old = false;
    for (IPluginCreatorInterface* known : before) old = old || known == creator;
    if (!old && registry()->deregisterCreator(*creator)) library.creators.push_back(creator);
  }
}

// Load the other library; its creators are those that it registers itself while it is loaded, else those that it lists.
void load(Library& library, const std::string& path) {
  const std::vector<IPluginCreatorInterface*> before = registered();
  library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library.handle == nullptr) {
    std::fprintf(stderr, "the tracing library cannot load %s: %s\n", path.c_str(), dlerror());
    return;
  }
  takeNewcomers(library, before);
  const auto list = reinterpret_cast<IPluginCreatorInterface* const* (*)(int32_t&)>(dlsym(library.handle, "getCreators"));
  if (library.creators.empty() && list != nullptr) {
    int32_t count = 0;
    IPluginCreatorInterface* const* all = list(count);
    if (all != nullptr) library.creators.assign(all, all + count);
  }
}

Library& library() {
  static Library* one = new Library;  // never taken down: the registry holds its creators to the end
  static std::once_flag once;
  std::call_once(once, [] {
    Dl_info self{};
    dladdr(reinterpret_cast<void*>(&load), &self);
    std::ifstream note(std::string(self.dli_fname == nullptr ? "" : self.dli_fname) + ".trace");
    std::string path, journal;
    std::getline(note, path);
    std::getline(note, journal);
    if (!journal.empty()) Journal::get().open(journal.c_str());
    if (!path.empty()) load(*one, path);
  });
  return *one;
}

// The other library is loaded with this one, not later under a lock of the registry's.
[[maybe_unused]] const Library& loaded = library();

}  // namespace

IPluginCreatorInterface* traced(IPluginCreatorInterface* inner) {
  const char* kind = inner == nullptr ? nullptr : inner->getInterfaceInfo().kind;
  const std::string name = kind == nullptr ? "" : kind;
  std::unique_ptr<IPluginCreatorInterface> stand;
  if (name == "PLUGIN CREATOR_V3ONE") stand = tracedV3(*static_cast<IPluginCreatorV3One*>(inner));
  if (name == "PLUGIN CREATOR_V1") stand = tracedV2(*static_cast<IPluginCreator*>(inner));
  if (stand == nullptr) return inner;
  library().stands.push_back(std::move(stand));
  return library().stands.back().get();
}

}  // namespace tracer

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& count) {
  tracer::Library& library = tracer::library();
  if (library.given.empty()) {
    for (IPluginCreatorInterface* creator : library.creators) library.given.push_back(tracer::traced(creator));
  }
  count = static_cast<int32_t>(library.given.size());
  return library.given.empty() ? nullptr : library.given.data();
}

extern "C" void setLoggerFinder(ILoggerFinder* finder) {
  void* handle = tracer::library().handle;
  const auto set = handle == nullptr ? nullptr : reinterpret_cast<void (*)(ILoggerFinder*)>(dlsym(handle, "setLoggerFinder"));
  if (set != nullptr) set(finder);
}

// For creators that no library brings, as those of a Python file: watch() before they are registered, then
// standForNewcomers(), which gives their number, before anyone loads this library through a registry.
namespace {
std::vector<IPluginCreatorInterface*>& watched() {
  static auto* one = new std::vector<IPluginCreatorInterface*>;
  return *one;
}
}  // namespace

extern "C" void watch() { watched() = tracer::registered(); }

extern "C" int32_t standForNewcomers() {
  tracer::takeNewcomers(tracer::library(), watched());
  return static_cast<int32_t>(tracer::library().creators.size());
}
