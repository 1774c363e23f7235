// IPluginV2DynamicExt (NvInferRuntime.h 10.14): deprecated since TensorRT 10.0, still in use.
#include <map>

#include "descriptors.h"
#include "expressions.h"
#include "formats.h"
#include "plugin.h"
#include "resources.h"

using namespace nvinfer1;

namespace host {
namespace {

constexpr size_t kGuardBytes = 4096;  // after a serialized blob
constexpr size_t kLargestBlob = 256 << 20;

class PluginV2 final : public Plugin {
 public:
  explicit PluginV2(IPluginV2DynamicExt* plugin) : plugin_(plugin) {}

  Value call(const std::string& method, const Value& arguments, bool& known) override {
    const auto found = kMethods.find(method);
    known = found != kMethods.end();
    return known ? (this->*found->second)(arguments) : Value();
  }
  void end() override { plugin_->destroy(); }
  const void* address() const override { return plugin_; }
  Plugin* cloned() override { return wrap(plugin_->clone()); }
  Plugin* attached() override {  // a context's clone, attached; initialize() is not called on it
    IPluginV2DynamicExt* clone = plugin_->clone();
    if (clone == nullptr) return nullptr;
    auto* context = static_cast<PluginV2*>(wrap(clone));
    if (context != nullptr) context->attach();
    return context;
  }
  int32_t shapeChange(const Value& inputs, const Value& outputs) override;  // configurePlugin with the shapes of a run
  int32_t run(const Value& arguments) override;

 private:
  using Method = Value (PluginV2::*)(const Value&);
  static const std::map<std::string, Method> kMethods;

  Value clone(const Value&) { return kept(wrap(TIMED(plugin_->clone()))); }
  Value getPluginType(const Value&) { return TIMED(plugin_->getPluginType()); }
  Value getPluginVersion(const Value&) { return TIMED(plugin_->getPluginVersion()); }
  Value getPluginNamespace(const Value&) { return TIMED(plugin_->getPluginNamespace()); }
  Value setPluginNamespace(const Value& a);
  Value getNbOutputs(const Value&) { return TIMED(plugin_->getNbOutputs()); }
  Value getOutputDataType(const Value& a);
  Value getOutputDimensions(const Value& a);
  Value supportsFormatCombination(const Value& a);
  Value formatCombinations(const Value& a);
  Value configurePlugin(const Value& a);
  Value getWorkspaceSize(const Value& a);
  Value initialize(const Value&) { return TIMED(plugin_->initialize()); }
  Value terminate(const Value&) { return TIMED(plugin_->terminate()), Value(); }
  Value getSerializationSize(const Value&) { return static_cast<uint64_t>(TIMED(plugin_->getSerializationSize())); }
  Value serialize(const Value& a);
  Value attachToContext(const Value&) { return TIMED(attach()), Value(); }
  Value detachFromContext(const Value&) { return TIMED(plugin_->detachFromContext()), Value(); }
  Value enqueue(const Value& a) { return run(a); }

  void attach() {  // without cuDNN and cuBLAS: null where these tactic sources are off, which they are by default
    if (allocator_ == nullptr) allocator_ = newAllocator();
    plugin_->attachToContext(nullptr, nullptr, allocator_.get());
  }

  IPluginV2DynamicExt* plugin_;
  std::unique_ptr<IGpuAllocator> allocator_;  // of the context that it is attached to; it outlives the plugin
};

const std::map<std::string, PluginV2::Method> PluginV2::kMethods = {
    {"clone", &PluginV2::clone},
    {"getPluginType", &PluginV2::getPluginType},
    {"getPluginVersion", &PluginV2::getPluginVersion},
    {"getPluginNamespace", &PluginV2::getPluginNamespace},
    {"setPluginNamespace", &PluginV2::setPluginNamespace},
    {"getNbOutputs", &PluginV2::getNbOutputs},
    {"getOutputDataType", &PluginV2::getOutputDataType},
    {"getOutputDimensions", &PluginV2::getOutputDimensions},
    {"supportsFormatCombination", &PluginV2::supportsFormatCombination},
    {"formatCombinations", &PluginV2::formatCombinations},
    {"configurePlugin", &PluginV2::configurePlugin},
    {"getWorkspaceSize", &PluginV2::getWorkspaceSize},
    {"initialize", &PluginV2::initialize},
    {"terminate", &PluginV2::terminate},
    {"getSerializationSize", &PluginV2::getSerializationSize},
    {"serialize", &PluginV2::serialize},
    {"attachToContext", &PluginV2::attachToContext},
    {"detachFromContext", &PluginV2::detachFromContext},
    {"enqueue", &PluginV2::enqueue},
};

Value PluginV2::setPluginNamespace(const Value& a) {  // the text is taken away after the call
  const std::string& text = a[0].text();
  LentArray<char> lent("the namespace", text.size() + 1);
  std::memcpy(lent.data(), text.c_str(), text.size() + 1);
  return TIMED(plugin_->setPluginNamespace(lent.data())), Value();
}

Value PluginV2::getOutputDataType(const Value& a) {  // [output, types of the inputs]
  LentArray<DataType> inputs("the input types", a[1].size());
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<DataType>(a[1][i].small());
  return static_cast<int32_t>(
      TIMED(plugin_->getOutputDataType(a[0].small(), inputs.data(), static_cast<int32_t>(inputs.size()))));
}

Value PluginV2::getOutputDimensions(const Value& a) {  // [output, extents of each input] -> [nodes, extents]
  Expressions builder;
  LentArray<DimsExprs> inputs("the input shapes", a[1].size());
  fillShapes(builder, a[1], inputs.data());
  const DimsExprs shape = TIMED(
      plugin_->getOutputDimensions(a[0].small(), inputs.data(), static_cast<int32_t>(inputs.size()), builder));
  return List{builder.nodes(), shapeValue(builder, shape)};
}

// V2 is asked with plain descriptors; what the parent sends is the same as for V3.
Value PluginV2::supportsFormatCombination(const Value& a) {
  Descriptors all = descriptorsOf("the format descriptors", a[1]);
  const int32_t inputs = a[2].small();
  return TIMED(plugin_->supportsFormatCombination(a[0].small(), all.data(), inputs,
                                                  static_cast<int32_t>(all.size()) - inputs));
}

Value PluginV2::formatCombinations(const Value& a) {  // as PluginV3's
  Descriptors all = descriptorsOf("the format descriptors", a[0]);
  const int32_t inputs = a[1].small();
  const int32_t outputs = static_cast<int32_t>(all.size()) - inputs;
  return searchFormats(all.size(), a[2], a[3].integer(), [&](size_t position, int32_t type, int32_t format) {
    all[position].type = static_cast<DataType>(type);
    all[position].format = static_cast<TensorFormat>(format);
    for (size_t behind = position + 1; behind < all.size() && !a[4].isNull(); ++behind) {
      all[behind].type = static_cast<DataType>(a[4][0].small());
      all[behind].format = static_cast<TensorFormat>(a[4][1].small());
    }
    return plugin_->supportsFormatCombination(static_cast<int32_t>(position), all.data(), inputs, outputs);
  });
}

Value PluginV2::configurePlugin(const Value& a) {
  DynamicDescriptors in = dynamicDescriptorsOf("the input descriptors", a[0]);
  DynamicDescriptors out = dynamicDescriptorsOf("the output descriptors", a[1]);
  TIMED(plugin_->configurePlugin(in.data(), static_cast<int32_t>(in.size()), out.data(), static_cast<int32_t>(out.size())));
  return Value();
}

Value PluginV2::getWorkspaceSize(const Value& a) {
  Descriptors in = descriptorsOf("the input descriptors", a[0]);
  Descriptors out = descriptorsOf("the output descriptors", a[1]);
  return static_cast<uint64_t>(TIMED(plugin_->getWorkspaceSize(in.data(), static_cast<int32_t>(in.size()), out.data(),
                                                               static_cast<int32_t>(out.size()))));
}

// [a byte] -> [size, bytes written, how many of the guard bytes behind them were touched]. What a plugin leaves unwritten
// is that byte.
Value PluginV2::serialize(const Value& a) {
  const auto fill = static_cast<unsigned char>(a.size() == 0 ? 0xA5 : a[0].small());
  const size_t size = plugin_->getSerializationSize();
  if (size > kLargestBlob) return List{static_cast<uint64_t>(size), Value(), 0};
  LentArray<unsigned char> blob("the blob", size + kGuardBytes);
  std::memset(blob.data(), fill, blob.size());
  TIMED(plugin_->serialize(blob.data()));
  int64_t touched = 0;
  for (size_t i = size; i < blob.size(); ++i) touched += blob[i] != fill;
  return List{static_cast<uint64_t>(size), Value::bytes(blob.data(), size), touched};
}

int32_t PluginV2::shapeChange(const Value& inputs, const Value& outputs) {
  const auto dynamic = [](const char* what, const Value& values) {
    DynamicDescriptors made(what, values.size());
    for (size_t i = 0; i < made.size(); ++i) {
      const PluginTensorDesc descriptor = descriptorOf(values[i]);
      made[i] = DynamicPluginTensorDesc{descriptor, descriptor.dims, descriptor.dims, descriptor.dims};
    }
    return made;
  };
  DynamicDescriptors in = dynamic("the input descriptors", inputs);
  DynamicDescriptors out = dynamic("the output descriptors", outputs);
  TIMED(plugin_->configurePlugin(in.data(), static_cast<int32_t>(in.size()), out.data(), static_cast<int32_t>(out.size())));
  return 0;
}

int32_t PluginV2::run(const Value& a) {
  Descriptors in = descriptorsOf("the input descriptors", a[0]);
  Descriptors out = descriptorsOf("the output descriptors", a[1]);
  LentArray<void*> from = addressesOf("the array of input pointers", a[2]);
  LentArray<void*> to = addressesOf("the array of output pointers", a[3]);
  return TIMED(plugin_->enqueue(in.data(), out.data(), from.data(), to.data(), reinterpret_cast<void*>(a[4].integer()),
                                reinterpret_cast<cudaStream_t>(a[5].integer())));
}

}  // namespace

Plugin* wrap(IPluginV2* plugin) {
  if (plugin == nullptr) return nullptr;
  const int32_t family = static_cast<int32_t>(static_cast<uint32_t>(plugin->getTensorRTVersion()) >> 24);
  if (family != static_cast<int32_t>(PluginVersion::kV2_DYNAMICEXT)) return nullptr;
  return new PluginV2(static_cast<IPluginV2DynamicExt*>(plugin));
}

}  // namespace host
