// y = scale * x as an IPluginV3 whose enqueue does nothing: as much of a plugin as loading, fields and call traces need.
// -DSELF_REGISTERING, -DNO_CREATORS, -DNO_LOGGER_FINDER and -DEXITS make the libraries that tests want beside it.
#include <cstdlib>
#include <cstring>
#include <vector>

#include <NvInferRuntime.h>

using namespace nvinfer1;

namespace {

class Double : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
 public:
  explicit Double(float scale) : scale_(scale) {}

  IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
    if (type == PluginCapabilityType::kCORE) return static_cast<IPluginV3OneCore*>(this);
    if (type == PluginCapabilityType::kBUILD) return static_cast<IPluginV3OneBuild*>(this);
    return static_cast<IPluginV3OneRuntime*>(this);
  }
  IPluginV3* clone() noexcept override { return new Double(scale_); }

  AsciiChar const* getPluginName() const noexcept override { return "Double"; }
  AsciiChar const* getPluginVersion() const noexcept override { return "1"; }
  AsciiChar const* getPluginNamespace() const noexcept override { return ""; }

  int32_t getNbOutputs() const noexcept override { return 1; }
  int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                          int32_t) noexcept override {
    return 0;
  }
  bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                 int32_t) noexcept override {
    return inOut[pos].desc.type == DataType::kFLOAT && inOut[pos].desc.format == TensorFormat::kLINEAR;
  }
  int32_t getOutputDataTypes(DataType* outputs, int32_t, DataType const* inputs, int32_t) const noexcept override {
    outputs[0] = inputs[0];
    return 0;
  }
  int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
                          IExprBuilder&) noexcept override {
    outputs[0] = inputs[0];
    return 0;
  }

  int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override {
    return 0;
  }
  int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*, void* const*, void*,
                  cudaStream_t) noexcept override {
    return 0;
  }
  IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
  PluginFieldCollection const* getFieldsToSerialize() noexcept override {
    fields_ = {PluginField("scale", &scale_, PluginFieldType::kFLOAT32, 1)};
    collection_ = {1, fields_.data()};
    return &collection_;
  }

 private:
  float scale_;
  std::vector<PluginField> fields_;
  PluginFieldCollection collection_{};
};

class Creator : public IPluginCreatorV3One {
 public:
  Creator() {
#ifdef EXITS
    std::exit(3);
#endif
  }
  AsciiChar const* getPluginName() const noexcept override { return "Double"; }
  AsciiChar const* getPluginVersion() const noexcept override { return "1"; }
  AsciiChar const* getPluginNamespace() const noexcept override { return ""; }
  PluginFieldCollection const* getFieldNames() noexcept override { return &collection_; }
  IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const* given, TensorRTPhase) noexcept override {
    float scale = 1;
    for (int32_t i = 0; given != nullptr && i < given->nbFields; ++i) {
      const PluginField& field = given->fields[i];
      if (std::strcmp(field.name, "scale") != 0) return nullptr;
      if (field.data == nullptr || field.type != PluginFieldType::kFLOAT32 || field.length != 1) return nullptr;
      std::memcpy(&scale, field.data, sizeof scale);
    }
    return new Double(scale);
  }

 private:
  PluginField field_{"scale", nullptr, PluginFieldType::kFLOAT32, 1};
  PluginFieldCollection collection_{1, &field_};
};

}  // namespace

#ifdef SELF_REGISTERING
REGISTER_TENSORRT_PLUGIN(Creator);
#endif

#ifndef NO_LOGGER_FINDER
extern "C" void setLoggerFinder(ILoggerFinder*) {}
#endif

#ifndef NO_CREATORS
extern "C" IPluginCreatorInterface* const* getCreators(int32_t& count) {
  static Creator creator;
  static IPluginCreatorInterface* const list[] = {&creator};
  count = 1;
  return list;
}
#endif
