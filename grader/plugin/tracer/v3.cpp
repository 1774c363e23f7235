// IPluginV3 and its creator.
#include "journal.h"
#include "traced.h"

using namespace nvinfer1;

namespace tracer {
namespace {

class Plugin;
IPluginV3* wrapped(IPluginV3* inner);

constexpr const char* kPhases[] = {"build", "runtime"};
constexpr const char* kCapabilities[] = {"core", "build", "runtime"};

class Core final : public IPluginV3OneCore {
 public:
  Core(IPluginV3OneCore& inner, const std::string& object) : inner_(inner), object_(object) {}
  AsciiChar const* getPluginName() const noexcept override {
    return call("getPluginName")([&] { return inner_.getPluginName(); });
  }
  AsciiChar const* getPluginVersion() const noexcept override {
    return call("getPluginVersion")([&] { return inner_.getPluginVersion(); });
  }
  AsciiChar const* getPluginNamespace() const noexcept override {
    return call("getPluginNamespace")([&] { return inner_.getPluginNamespace(); });
  }

 private:
  Call call(const char* method) const { return Call(object_, "IPluginV3OneCore", method); }
  IPluginV3OneCore& inner_;
  const std::string& object_;
};

// Base: IPluginV3OneBuild or IPluginV3OneBuildV2, which has getAliasedInput beside.
template <class Base>
class Build : public Base {
 public:
  Build(Base& inner, const std::string& object) : inner_(inner), object_(object) {}

  int32_t getNbOutputs() const noexcept override {
    return call("getNbOutputs")([&] { return inner_.getNbOutputs(); });
  }
  int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs, DynamicPluginTensorDesc const* out,
                          int32_t nbOutputs) noexcept override {
    Call made = call("configurePlugin");
    tensors(made, in, nbInputs, out, nbOutputs);
    return made([&] { return inner_.configurePlugin(in, nbInputs, out, nbOutputs); });
  }
  int32_t getOutputDataTypes(DataType* outputs, int32_t nbOutputs, DataType const* inputs,
                             int32_t nbInputs) const noexcept override {
    Call made = call("getOutputDataTypes");
    if (made.isOpen()) made.with("inputs", words(inputs, nbInputs));
    return made.result([&] { return inner_.getOutputDataTypes(outputs, nbOutputs, inputs, nbInputs); },
                       [&](int32_t status) {
                         return json::Object().add("status", words(status)).add("outputs", words(outputs, nbOutputs)).str();
                       });
  }
  int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* shapeInputs,
                          int32_t nbShapeInputs, DimsExprs* outputs, int32_t nbOutputs,
                          IExprBuilder& builder) noexcept override {
    Call made = call("getOutputShapes");
    if (made.isOpen()) {
      made.with("inputs", words(inputs, nbInputs)).with("shape_inputs", words(shapeInputs, nbShapeInputs));
    }
    return made.result(
        [&] {
          return inner_.getOutputShapes(inputs, nbInputs, shapeInputs, nbShapeInputs, outputs, nbOutputs, builder);
        },
        [&](int32_t status) {
          return json::Object().add("status", words(status)).add("outputs", words(outputs, nbOutputs)).str();
        });
  }
  bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                                 int32_t nbOutputs) noexcept override {
    Call made = call("supportsFormatCombination");
    // What lies behind pos is not filled yet and is left out.
    if (made.isOpen()) made.with("pos", words(pos)).with("tensors", words(inOut, pos + 1)).with("inputs", words(nbInputs));
    return made([&] { return inner_.supportsFormatCombination(pos, inOut, nbInputs, nbOutputs); });
  }
  size_t getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t nbInputs,
                          DynamicPluginTensorDesc const* outputs, int32_t nbOutputs) const noexcept override {
    Call made = call("getWorkspaceSize");
    tensors(made, inputs, nbInputs, outputs, nbOutputs);
    return made([&] { return inner_.getWorkspaceSize(inputs, nbInputs, outputs, nbOutputs); });
  }
  int32_t getValidTactics(int32_t* tactics, int32_t nbTactics) noexcept override {
    return call("getValidTactics").result([&] { return inner_.getValidTactics(tactics, nbTactics); },
                                          [&](int32_t status) {
                                            return json::Object()
                                                .add("status", words(status))
                                                .add("tactics", words(tactics, nbTactics))
                                                .str();
                                          });
  }
  int32_t getNbTactics() noexcept override {
    return call("getNbTactics")([&] { return inner_.getNbTactics(); });
  }
  char const* getTimingCacheID() noexcept override {
    return call("getTimingCacheID")([&] { return inner_.getTimingCacheID(); });
  }
  int32_t getFormatCombinationLimit() noexcept override {
    return call("getFormatCombinationLimit")([&] { return inner_.getFormatCombinationLimit(); });
  }
  char const* getMetadataString() noexcept override {
    return call("getMetadataString")([&] { return inner_.getMetadataString(); });
  }

 protected:
  Call call(const char* method) const { return Call(object_, "IPluginV3OneBuild", method); }
  static void tensors(Call& made, const DynamicPluginTensorDesc* in, int32_t nbInputs,
                      const DynamicPluginTensorDesc* out, int32_t nbOutputs) {
    if (made.isOpen()) made.with("inputs", words(in, nbInputs)).with("outputs", words(out, nbOutputs));
  }
  Base& inner_;
  const std::string& object_;
};

class AliasingBuild final : public Build<IPluginV3OneBuildV2> {
 public:
  using Build::Build;
  int32_t getAliasedInput(int32_t output) noexcept override {
    Call made = call("getAliasedInput");
    return made.with("output", words(output))([&] { return inner_.getAliasedInput(output); });
  }
};

class Runtime final : public IPluginV3OneRuntime {
 public:
  Runtime(IPluginV3OneRuntime& inner, const std::string& object) : inner_(inner), object_(object) {}

  int32_t setTactic(int32_t tactic) noexcept override {
    return call("setTactic").with("tactic", words(tactic))([&] { return inner_.setTactic(tactic); });
  }
  int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const* out,
                        int32_t nbOutputs) noexcept override {
    Call made = call("onShapeChange");
    if (made.isOpen()) made.with("inputs", words(in, nbInputs)).with("outputs", words(out, nbOutputs));
    inputs_ = nbInputs;
    outputs_ = nbOutputs;
    return made([&] { return inner_.onShapeChange(in, nbInputs, out, nbOutputs); });
  }
  int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc, void const* const* inputs,
                  void* const* outputs, void* workspace, cudaStream_t stream) noexcept override {
    Call made = call("enqueue");
    if (made.isOpen()) {
      // How many tensors there are is not among the arguments: onShapeChange comes first and says it.
      made.with("inputs", words(inputDesc, inputs_)).with("outputs", words(outputDesc, outputs_));
      made.with("null_inputs", json::list(inputs_, [&](int64_t i) { return words(inputs[i] == nullptr); }));
      made.with("null_outputs", json::list(outputs_, [&](int64_t i) { return words(outputs[i] == nullptr); }));
      made.with("workspace", workspace == nullptr ? "null" : "\"given\"");
      made.with("stream", words(reinterpret_cast<size_t>(stream)));
    }
    return made([&] { return inner_.enqueue(inputDesc, outputDesc, inputs, outputs, workspace, stream); });
  }
  IPluginV3* attachToContext(IPluginResourceContext* context) noexcept override;
  PluginFieldCollection const* getFieldsToSerialize() noexcept override {
    return call("getFieldsToSerialize")([&] { return inner_.getFieldsToSerialize(); });
  }

 private:
  Call call(const char* method) const { return Call(object_, "IPluginV3OneRuntime", method); }
  IPluginV3OneRuntime& inner_;
  const std::string& object_;
  int32_t inputs_ = 0, outputs_ = 0;
};

std::string sayPlugin(const IPluginV3* made);

class Plugin final : public IPluginV3 {
 public:
  explicit Plugin(IPluginV3& inner) : inner_(inner) {
    const auto* core = static_cast<IPluginV3OneCore*>(inner.getCapabilityInterface(PluginCapabilityType::kCORE));
    object_ = nameOf(core == nullptr ? nullptr : core->getPluginName());
  }
  // A plugin of Python's belongs to the interpreter: its C++ object goes with its Python object.
  ~Plugin() override {
    Call(object_, "IPluginV3", "~IPluginV3")([&] {
      if (inner_.getAPILanguage() == APILanguage::kCPP) delete &inner_;
    });
  }

  const std::string& object() const { return object_; }

  IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
    Call made(object_, "IPluginV3", "getCapabilityInterface");
    if (made.isOpen()) made.with("type", named(type, kCapabilities));
    return made.result([&] { return capability(type); },
                       [](const IPluginCapability* found) {
                         return found == nullptr ? "null" : json::text(found->getInterfaceInfo().kind);
                       });
  }
  IPluginV3* clone() noexcept override {
    return Call(object_, "IPluginV3", "clone").result([&] { return wrapped(inner_.clone()); }, sayPlugin);
  }

 private:
  IPluginCapability* capability(PluginCapabilityType type) {
    IPluginCapability* inner = inner_.getCapabilityInterface(type);
    if (inner == nullptr) return nullptr;
    switch (type) {
      case PluginCapabilityType::kCORE:
        if (!core_) core_ = std::make_unique<Core>(*static_cast<IPluginV3OneCore*>(inner), object_);
        return core_.get();
      case PluginCapabilityType::kBUILD:
        if (inner->getInterfaceInfo().major >= 2) {
          if (!aliasing_) aliasing_ = std::make_unique<AliasingBuild>(*static_cast<IPluginV3OneBuildV2*>(inner), object_);
          return aliasing_.get();
        }
        if (!build_) {
          build_ = std::make_unique<Build<IPluginV3OneBuild>>(*static_cast<IPluginV3OneBuild*>(inner), object_);
        }
        return build_.get();
      case PluginCapabilityType::kRUNTIME:
        if (!runtime_) runtime_ = std::make_unique<Runtime>(*static_cast<IPluginV3OneRuntime*>(inner), object_);
        return runtime_.get();
    }
    return inner;
  }

  IPluginV3& inner_;
  std::string object_;
  std::unique_ptr<Core> core_;
  std::unique_ptr<Build<IPluginV3OneBuild>> build_;
  std::unique_ptr<AliasingBuild> aliasing_;
  std::unique_ptr<Runtime> runtime_;
};

IPluginV3* wrapped(IPluginV3* inner) { return inner == nullptr ? nullptr : new Plugin(*inner); }

std::string sayPlugin(const IPluginV3* made) {
  return made == nullptr ? "null" : json::text(static_cast<const Plugin*>(made)->object());
}

IPluginV3* Runtime::attachToContext(IPluginResourceContext* context) noexcept {
  return call("attachToContext").result([&] { return wrapped(inner_.attachToContext(context)); }, sayPlugin);
}

class Creator final : public IPluginCreatorV3One {
 public:
  explicit Creator(IPluginCreatorV3One& inner) : inner_(inner), object_(nameOf("creator")) {}

  AsciiChar const* getPluginName() const noexcept override {
    return call("getPluginName")([&] { return inner_.getPluginName(); });
  }
  AsciiChar const* getPluginVersion() const noexcept override {
    return call("getPluginVersion")([&] { return inner_.getPluginVersion(); });
  }
  AsciiChar const* getPluginNamespace() const noexcept override {
    return call("getPluginNamespace")([&] { return inner_.getPluginNamespace(); });
  }
  PluginFieldCollection const* getFieldNames() noexcept override {
    return call("getFieldNames")([&] { return inner_.getFieldNames(); });
  }
  IPluginV3* createPlugin(AsciiChar const* name, PluginFieldCollection const* fields,
                          TensorRTPhase phase) noexcept override {
    Call made = call("createPlugin");
    if (made.isOpen()) made.with("name", words(name)).with("fields", words(fields)).with("phase", named(phase, kPhases));
    return made.result([&] { return wrapped(inner_.createPlugin(name, fields, phase)); }, sayPlugin);
  }

 private:
  Call call(const char* method) const { return Call(object_, "IPluginCreatorV3One", method); }
  IPluginCreatorV3One& inner_;
  std::string object_;
};

}  // namespace

std::unique_ptr<IPluginCreatorInterface> tracedV3(IPluginCreatorV3One& inner) {
  return std::make_unique<Creator>(inner);
}

}  // namespace tracer
