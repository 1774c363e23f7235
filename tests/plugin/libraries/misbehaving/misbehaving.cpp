// A creator that does what the layer's name says: how the host bears it is tested.
#include <NvInferRuntime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

using namespace nvinfer1;

extern "C" long write(int descriptor, void const* data, unsigned long bytes);

namespace {

PluginFieldCollection const* gKept = nullptr;
char const* gName = nullptr;
void const* gData = nullptr;

void forge() {
  const uint64_t lengths[2] = {2, 9};
  const char reply[] = "{}n\0\0\0\0\0\0\0\0";
  for (int descriptor = 3; descriptor < 4096; ++descriptor) {
    if (write(descriptor, lengths, sizeof lengths) > 0 && write(descriptor, reply, 11) < 0) return;
  }
}

void behave(const std::string& how, PluginFieldCollection const* fields) {
  if (how == "exit") std::exit(3);
  if (how == "abort") std::abort();
  if (how == "hang") {
    for (volatile int i = 0;; ++i) {
    }
  }
  if (how == "throw") throw std::runtime_error("no such mode");
  if (how == "null") *reinterpret_cast<volatile int*>(0) = 1;
  if (how == "device") *reinterpret_cast<volatile char*>(0x700000001000) = 1;
  if (how == "forge") forge();
  if (how == "eat") {
    for (;;) std::memset(std::malloc(64 << 20), 1, 64 << 20);
  }
  if (how == "talk") {
    for (int i = 0; i < 100000; ++i) std::puts("words, words, words");
    std::fflush(stdout);
  }
  if (how == "past-end" && fields->nbFields > 0) {
    volatile char byte = static_cast<char const*>(fields->fields[0].data)[fields->fields[0].length];
    (void)byte;
  }
  if (how == "past-fields") std::getenv(fields->fields[fields->nbFields].name);
  if (how == "keep") gKept = fields, gName = fields->fields[0].name, gData = fields->fields[0].data;
  if (how == "use-collection") std::getenv(std::to_string(gKept->nbFields).c_str());
  if (how == "use-name") std::getenv(gName);
  if (how == "use-data") std::getenv(static_cast<char const*>(gData));
}

class Misbehaving final : public IPluginCreatorV3One {
 public:
  char const* getPluginName() const noexcept override { return "Misbehaving"; }
  char const* getPluginVersion() const noexcept override { return "1"; }
  char const* getPluginNamespace() const noexcept override { return ""; }
  PluginFieldCollection const* getFieldNames() noexcept override { return &none_; }
  IPluginV3* createPlugin(char const* name, PluginFieldCollection const* fields, TensorRTPhase) noexcept override {
    behave(name, fields);
    return nullptr;
  }

 private:
  PluginFieldCollection none_{};
};

}  // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& count) {
  static Misbehaving creator;
  static IPluginCreatorInterface* const list[] = {&creator};
  count = 1;
  return list;
}

extern "C" void setLoggerFinder(ILoggerFinder*) {}
