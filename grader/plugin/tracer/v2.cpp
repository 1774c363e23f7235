// IPluginV2DynamicExt and its creator. Older IPluginV2 kinds, which networks with explicit batch do not take, pass untraced.
#include "journal.h"
#include "traced.h"

using namespace nvinfer1;

namespace tracer {
namespace {

class Plugin final : public IPluginV2DynamicExt {
 public:
  explicit Plugin(IPluginV2DynamicExt& inner) : inner_(inner), object_(nameOf(inner.getPluginType())) {}

  const std::string& object() const { return object_; }

  AsciiChar const* getPluginType() const noexcept override {
    return call("getPluginType")([&] { return inner_.getPluginType(); });
  }
  AsciiChar const* getPluginVersion() const noexcept override {
    return call("getPluginVersion")([&] { return inner_.getPluginVersion(); });
  }
  int32_t getNbOutputs() const noexcept override {
    return call("getNbOutputs")([&] { return inner_.getNbOutputs(); });
  }
  int32_t initialize() noexcept override {
    return call("initialize")([&] { return inner_.initialize(); });
  }
  void terminate() noexcept override {
    call("terminate")([&] { inner_.terminate(); });
  }
  size_t getSerializationSize() const noexcept override {
    return call("getSerializationSize")([&] { return inner_.getSerializationSize(); });
  }
  void serialize(void* buffer) const noexcept override {
    call("serialize")([&] { inner_.serialize(buffer); });
  }
  void destroy() noexcept override {
    call("destroy")([&] { inner_.destroy(); });
    delete this;
  }
  void setPluginNamespace(AsciiChar const* space) noexcept override {
    call("setPluginNamespace").with("namespace", words(space))([&] { inner_.setPluginNamespace(space); });
  }
  AsciiChar const* getPluginNamespace() const noexcept override {
    return call("getPluginNamespace")([&] { return inner_.getPluginNamespace(); });
  }

  DataType getOutputDataType(int32_t index, DataType const* types, int32_t nbInputs) const noexcept override {
    Call made = call("getOutputDataType");
    if (made.isOpen()) made.with("output", words(index)).with("inputs", words(types, nbInputs));
    return made([&] { return inner_.getOutputDataType(index, types, nbInputs); });
  }
  void attachToContext(cudnnContext* cudnn, cublasContext* cublas, IGpuAllocator* allocator) noexcept override {
    Call made = call("attachToContext");
    if (made.isOpen()) made.with("cudnn", words(cudnn != nullptr)).with("cublas", words(cublas != nullptr));
    made([&] { inner_.attachToContext(cudnn, cublas, allocator); });
  }
  void detachFromContext() noexcept override {
    call("detachFromContext")([&] { inner_.detachFromContext(); });
  }
  IPluginV2DynamicExt* clone() const noexcept override {
    return call("clone").result(
        [&]() -> Plugin* {
          IPluginV2DynamicExt* copy = inner_.clone();
          return copy == nullptr ? nullptr : new Plugin(*copy);
        },
        [](Plugin* made) { return made == nullptr ? "null" : json::text(made->object()); });
  }

  DimsExprs getOutputDimensions(int32_t index, DimsExprs const* inputs, int32_t nbInputs,
                                IExprBuilder& builder) noexcept override {
    Call made = call("getOutputDimensions");
    if (made.isOpen()) made.with("output", words(index)).with("inputs", words(inputs, nbInputs));
    return made([&] { return inner_.getOutputDimensions(index, inputs, nbInputs, builder); });
  }
  bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t nbInputs,
                                 int32_t nbOutputs) noexcept override {
    Call made = call("supportsFormatCombination");
    if (made.isOpen()) made.with("pos", words(pos)).with("tensors", words(inOut, pos + 1)).with("inputs", words(nbInputs));
    return made([&] { return inner_.supportsFormatCombination(pos, inOut, nbInputs, nbOutputs); });
  }
  void configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs, DynamicPluginTensorDesc const* out,
                       int32_t nbOutputs) noexcept override {
    Call made = call("configurePlugin");
    tensors(made, in, nbInputs, out, nbOutputs);
    inputs_ = nbInputs;
    outputs_ = nbOutputs;
    made([&] { inner_.configurePlugin(in, nbInputs, out, nbOutputs); });
  }
  size_t getWorkspaceSize(PluginTensorDesc const* inputs, int32_t nbInputs, PluginTensorDesc const* outputs,
                          int32_t nbOutputs) const noexcept override {
    Call made = call("getWorkspaceSize");
    tensors(made, inputs, nbInputs, outputs, nbOutputs);
    return made([&] { return inner_.getWorkspaceSize(inputs, nbInputs, outputs, nbOutputs); });
  }
  int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc, void const* const* inputs,
                  void* const* outputs, void* workspace, cudaStream_t stream) noexcept override {
    Call made = call("enqueue");
    tensors(made, inputDesc, inputs_, outputDesc, outputs_);
    if (made.isOpen()) {
      made.with("workspace", workspace == nullptr ? "null" : "\"given\"");
      made.with("stream", words(reinterpret_cast<size_t>(stream)));
    }
    return made([&] { return inner_.enqueue(inputDesc, outputDesc, inputs, outputs, workspace, stream); });
  }

 private:
  Call call(const char* method) const { return Call(object_, "IPluginV2DynamicExt", method); }
  template <class Desc>
  static void tensors(Call& made, const Desc* in, int32_t nbInputs, const Desc* out, int32_t nbOutputs) {
    if (made.isOpen()) made.with("inputs", words(in, nbInputs)).with("outputs", words(out, nbOutputs));
  }
  IPluginV2DynamicExt& inner_;
  std::string object_;
  int32_t inputs_ = 0, outputs_ = 0;  // as configurePlugin said them last
};

// The kind of an IPluginV2 is the top byte of the version that it was built with (PluginVersion, NvInferRuntimePlugin.h).
IPluginV2* wrapped(IPluginV2* inner) {
  if (inner == nullptr || inner->getTensorRTVersion() >> 24 != static_cast<int32_t>(PluginVersion::kV2_DYNAMICEXT)) {
    return inner;
  }
  return new Plugin(*static_cast<IPluginV2DynamicExt*>(inner));
}

class Creator final : public IPluginCreator {
 public:
  explicit Creator(IPluginCreator& inner) : inner_(inner), object_(nameOf("creator")) {}

  AsciiChar const* getPluginName() const noexcept override {
    return call("getPluginName")([&] { return inner_.getPluginName(); });
  }
  AsciiChar const* getPluginVersion() const noexcept override {
    return call("getPluginVersion")([&] { return inner_.getPluginVersion(); });
  }
  PluginFieldCollection const* getFieldNames() noexcept override {
    return call("getFieldNames")([&] { return inner_.getFieldNames(); });
  }
  IPluginV2* createPlugin(AsciiChar const* name, PluginFieldCollection const* fields) noexcept override {
    Call made = call("createPlugin");
    if (made.isOpen()) made.with("name", words(name)).with("fields", words(fields));
    return made.result([&] { return wrapped(inner_.createPlugin(name, fields)); }, say);
  }
  IPluginV2* deserializePlugin(AsciiChar const* name, void const* data, size_t length) noexcept override {
    Call made = call("deserializePlugin");
    if (made.isOpen()) made.with("name", words(name)).with("bytes", words(length));
    return made.result([&] { return wrapped(inner_.deserializePlugin(name, data, length)); }, say);
  }
  void setPluginNamespace(AsciiChar const* space) noexcept override {
    call("setPluginNamespace").with("namespace", words(space))([&] { inner_.setPluginNamespace(space); });
  }
  AsciiChar const* getPluginNamespace() const noexcept override {
    return call("getPluginNamespace")([&] { return inner_.getPluginNamespace(); });
  }

 private:
  static std::string say(IPluginV2* made) {
    const auto* plugin = dynamic_cast<Plugin*>(made);
    return made == nullptr ? "null" : plugin == nullptr ? "\"untraced\"" : json::text(plugin->object());
  }
  Call call(const char* method) const { return Call(object_, "IPluginCreator", method); }
  IPluginCreator& inner_;
  std::string object_;
};

}  // namespace

std::unique_ptr<IPluginCreatorInterface> tracedV2(IPluginCreator& inner) { return std::make_unique<Creator>(inner); }

}  // namespace tracer
