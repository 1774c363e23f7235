// y = x, a right plugin by itself, and hostile by the name of its file: "enqueue.hang.so" hangs in enqueue(). The part
// before the dot is where (a method, "static", "creator", "constructor", "destructor"), the one behind it what: a misdeed
// (misdeeds.cpp), or a lie that the method tells.
#include <NvInferRuntime.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hostile_v2.h"
#include "mode.h"

using namespace nvinfer1;

namespace {

std::string& odd() {
  static std::string& text = *new std::string("\x1b[31mred\x1b]0;title\x07 \xff\xfe\n<b>&amp; \x01 ]]> \xc2\x9b 31m");
  return text;
}
std::string& huge() {
  static std::string& text = *new std::string(64 << 20, 'n');
  return text;
}

const char* named(const char* where, const char* right) {
  at(where);
  static int calls = 0;
  static std::string changing;
  if (lies(where, "lie-wild")) return gWild;
  if (lies(where, "lie-null")) return nullptr;
  if (lies(where, "lie-odd")) return odd().c_str();
  if (lies(where, "lie-huge")) return huge().c_str();
  if (lies(where, "lie-changing")) return (changing = right + std::to_string(++calls)).c_str();
  return right;
}

// A collection that lies; null where it does not.
const PluginFieldCollection* lyingFields(const char* where) {
  static float value = 1;
  static PluginField field;
  static PluginFieldCollection fields;
  field = PluginField("scale", &value, PluginFieldType::kFLOAT32, 1);
  fields = {1, &field};
  if (mode().where != where) return nullptr;
  const std::string& what = mode().what;
  if (what == "lie-wild") return wild<PluginFieldCollection>();
  if (what == "lie-huge-count") fields.nbFields = INT32_MAX;
  else if (what == "lie-negative-count") fields.nbFields = -5;
  else if (what == "lie-wild-fields") fields.fields = wild<PluginField>();
  else if (what == "lie-no-fields") fields.fields = nullptr;
  else if (what == "lie-wild-name") field.name = gWild;
  else if (what == "lie-odd-name") field.name = odd().c_str();
  else if (what == "lie-huge-name") field.name = huge().c_str();
  else if (what == "lie-wild-data") field.data = gWild;
  else if (what == "lie-huge-length") field.length = INT32_MAX;
  else if (what == "lie-long-length") field.length = 8 << 20;
  else if (what == "lie-negative-length") field.length = INT32_MIN;
  else if (what == "lie-no-type") field.type = static_cast<PluginFieldType>(77);
  else return nullptr;
  return &fields;
}

class Hostile final : public IPluginV3,
                      public IPluginV3OneCore,
                      public IPluginV3OneBuildV2,
                      public IPluginV3OneRuntime {
 public:
  explicit Hostile(float scale) : scale_(scale) { at("constructor"); }
  ~Hostile() override { at("destructor"); }

  IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
    at("getCapabilityInterface");
    if (lies("getCapabilityInterface", "lie-null")) return nullptr;
    if (lies("getCapabilityInterface", "lie-wild")) return wild<IPluginCapability>();
    if (type == PluginCapabilityType::kCORE) return static_cast<IPluginV3OneCore*>(this);
    if (type == PluginCapabilityType::kBUILD) return static_cast<IPluginV3OneBuildV2*>(this);
    return static_cast<IPluginV3OneRuntime*>(this);
  }
  IPluginV3* clone() noexcept override {
    at("clone");
    if (lies("clone", "lie-wild")) return wild<IPluginV3>();
    if (lies("clone", "lie-null")) return nullptr;
    if (lies("clone", "lie-same")) return this;
    return new Hostile(scale_);
  }

  AsciiChar const* getPluginName() const noexcept override { return named("getPluginName", "Hostile"); }
  AsciiChar const* getPluginVersion() const noexcept override { return named("getPluginVersion", "1"); }
  AsciiChar const* getPluginNamespace() const noexcept override { return named("getPluginNamespace", ""); }

  int32_t getNbOutputs() const noexcept override {
    at("getNbOutputs");
    static int32_t calls = 0;
    if (lies("getNbOutputs", "lie-huge")) return INT32_MAX;
    if (lies("getNbOutputs", "lie-many")) return 100000;
    if (lies("getNbOutputs", "lie-negative")) return INT32_MIN;
    if (lies("getNbOutputs", "lie-zero")) return 0;
    if (lies("getNbOutputs", "lie-changing")) return ++calls;
    return 1;
  }
  int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                          int32_t) noexcept override {
    at("configurePlugin");
    return lies("configurePlugin", "lie-status") ? INT32_MIN : 0;
  }
  bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                 int32_t) noexcept override {
    at("supportsFormatCombination");
    static int32_t calls = 0;
    if (lies("supportsFormatCombination", "lie-all")) return true;
    if (lies("supportsFormatCombination", "lie-none")) return false;
    if (lies("supportsFormatCombination", "lie-changing")) return ++calls % 3 != 0;
    return inOut[pos].desc.type == DataType::kFLOAT && inOut[pos].desc.format == TensorFormat::kLINEAR;
  }
  int32_t getOutputDataTypes(DataType* outputs, int32_t count, DataType const* inputs, int32_t) const noexcept override {
    at("getOutputDataTypes");
    if (lies("getOutputDataTypes", "lie-no-type")) return outputs[0] = static_cast<DataType>(12345), 0;
    if (lies("getOutputDataTypes", "lie-nothing")) return 0;
    if (lies("getOutputDataTypes", "lie-past-end")) return outputs[count] = DataType::kFLOAT, 0;
    for (int32_t i = 0; i < count; ++i) outputs[i] = inputs[0];
    return 0;
  }
  int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t count,
                          IExprBuilder& builder) noexcept override;
  size_t getWorkspaceSize(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                          int32_t) const noexcept override {
    at("getWorkspaceSize");
    if (lies("getWorkspaceSize", "lie-2^63")) return size_t{1} << 63;
    if (lies("getWorkspaceSize", "lie-2^40")) return size_t{1} << 40;
    if (lies("getWorkspaceSize", "lie-2^33")) return size_t{1} << 33;
    if (lies("getWorkspaceSize", "lie-all")) return SIZE_MAX;
    return 0;
  }
  int32_t getValidTactics(int32_t* tactics, int32_t count) noexcept override {
    at("getValidTactics");
    if (lies("getValidTactics", "lie-past-end")) tactics[count] = 1;
    for (int32_t i = 0; i < count && !lies("getValidTactics", "lie-nothing"); ++i) tactics[i] = i + 1;
    return 0;
  }
  int32_t getNbTactics() noexcept override {
    at("getNbTactics");
    if (lies("getNbTactics", "lie-huge")) return INT32_MAX;
    if (lies("getNbTactics", "lie-negative")) return -7;
    return 0;
  }
  char const* getTimingCacheID() noexcept override { return named("getTimingCacheID", ""); }
  int32_t getFormatCombinationLimit() noexcept override {
    at("getFormatCombinationLimit");
    if (lies("getFormatCombinationLimit", "lie-huge")) return INT32_MAX;
    if (lies("getFormatCombinationLimit", "lie-negative")) return INT32_MIN;
    return kDEFAULT_FORMAT_COMBINATION_LIMIT;
  }
  char const* getMetadataString() noexcept override { return named("getMetadataString", ""); }
  int32_t getAliasedInput(int32_t) noexcept override {
    at("getAliasedInput");
    if (lies("getAliasedInput", "lie-huge")) return INT32_MAX;
    if (lies("getAliasedInput", "lie-negative")) return INT32_MIN;
    return -1;
  }

  int32_t setTactic(int32_t) noexcept override { return at("setTactic"), 0; }
  int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override {
    at("onShapeChange");
    return lies("onShapeChange", "lie-status") ? 99 : 0;
  }
  int32_t enqueue(PluginTensorDesc const* inputs, PluginTensorDesc const*, void const* const* from, void* const* to,
                  void*, cudaStream_t stream) noexcept override {
    at("enqueue");
    if (lies("enqueue", "lie-status")) return INT32_MIN;
    if (lies("enqueue", "lie-nothing")) return 0;
    size_t bytes = 4;
    for (int32_t i = 0; i < inputs[0].dims.nbDims; ++i) bytes *= static_cast<size_t>(inputs[0].dims.d[i]);
    return cudaMemcpyAsync(to[0], from[0], bytes, cudaMemcpyDeviceToDevice, stream) == cudaSuccess ? 0 : -1;
  }
  IPluginV3* attachToContext(IPluginResourceContext*) noexcept override {
    at("attachToContext");
    if (lies("attachToContext", "lie-wild")) return wild<IPluginV3>();
    if (lies("attachToContext", "lie-same")) return this;
    if (lies("attachToContext", "lie-null")) return nullptr;
    return new Hostile(scale_);
  }
  PluginFieldCollection const* getFieldsToSerialize() noexcept override {
    at("getFieldsToSerialize");
    if (lies("getFieldsToSerialize", "lie-null")) return nullptr;
    if (const auto* lie = lyingFields("getFieldsToSerialize")) return lie;
    fields_ = {PluginField("scale", &scale_, PluginFieldType::kFLOAT32, 1)};
    collection_ = {1, fields_.data()};
    return &collection_;
  }

 private:
  float scale_;
  std::vector<PluginField> fields_;
  PluginFieldCollection collection_{};
};

int32_t Hostile::getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs,
                                 int32_t count, IExprBuilder& builder) noexcept {
  const char* here = "getOutputShapes";
  at(here);
  for (int32_t i = 0; i < count; ++i) outputs[i] = inputs[0];
  if (lies(here, "lie-huge-rank")) outputs[0].nbDims = INT32_MAX;
  if (lies(here, "lie-negative-rank")) outputs[0].nbDims = INT32_MIN;
  if (lies(here, "lie-wild")) outputs[0].d[0] = wild<IDimensionExpr>();
  if (lies(here, "lie-nothing")) outputs[0].d[0] = nullptr;
  if (lies(here, "lie-past-end")) outputs[count].nbDims = 1;
  if (lies(here, "lie-size-tensor")) {
    outputs[0].d[0] = builder.declareSizeTensor(INT32_MAX, *inputs[0].d[0], *inputs[0].d[0]);
  }
  const IDimensionExpr* extent = inputs[0].d[0];
  if (lies(here, "lie-deep")) {  // x + x + x ...: a long chain, and a tree without end for who walks it as one
    for (int i = 0; i < 5000 && extent != nullptr; ++i) {
      const IDimensionExpr* next = builder.operation(DimensionOperation::kSUM, *extent, *extent);
      extent = next;
    }
    outputs[0].d[0] = extent;
  }
  if (lies(here, "lie-large")) {
    for (int i = 0; i < 200; ++i) extent = builder.operation(DimensionOperation::kPROD, *extent, *extent);
    outputs[0].d[0] = extent;
  }
  if (lies(here, "lie-endless")) {
    for (int i = 0; i < 100000; ++i) builder.constant(i);
    outputs[0].d[0] = builder.constant(1);
  }
  if (lies(here, "lie-divide")) {
    outputs[0].d[0] = builder.operation(DimensionOperation::kFLOOR_DIV, *builder.constant(1), *builder.constant(0));
  }
  return 0;
}

class Creator final : public IPluginCreatorV3One {
 public:
  Creator() { at("creator"); }
  AsciiChar const* getPluginName() const noexcept override { return named("creatorName", "Hostile"); }
  AsciiChar const* getPluginVersion() const noexcept override { return named("creatorVersion", "1"); }
  AsciiChar const* getPluginNamespace() const noexcept override { return named("creatorNamespace", ""); }
  InterfaceInfo getInterfaceInfo() const noexcept override {
    if (lies("creatorKind", "lie-odd")) return {odd().c_str(), 1, 0};
    if (lies("creatorKind", "lie-wild")) return {gWild, 1, 0};
    if (lies("creatorKind", "lie-null")) return {nullptr, 1, 0};
    return IPluginCreatorV3One::getInterfaceInfo();
  }
  PluginFieldCollection const* getFieldNames() noexcept override {
    at("getFieldNames");
    if (lies("getFieldNames", "lie-null")) return nullptr;
    if (const auto* lie = lyingFields("getFieldNames")) return lie;
    static PluginField field("scale", nullptr, PluginFieldType::kFLOAT32, 1);
    static PluginFieldCollection collection{1, &field};
    return &collection;
  }
  IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const* given, TensorRTPhase) noexcept override {
    at("createPlugin");
    if (lies("createPlugin", "lie-wild")) return wild<IPluginV3>();
    if (lies("createPlugin", "lie-null")) return nullptr;
    if (lies("createPlugin", "lie-same")) {
      static Hostile only(1);
      return &only;
    }
    float scale = 1;
    for (int32_t i = 0; given != nullptr && i < given->nbFields; ++i) {
      const PluginField& field = given->fields[i];
      if (std::string(field.name) != "scale" || field.data == nullptr) return nullptr;
      if (field.type != PluginFieldType::kFLOAT32 || field.length != 1) return nullptr;
      scale = *static_cast<const float*>(field.data);
    }
    return new Hostile(scale);
  }
};

struct Static {
  Static() { at("static"); }
  ~Static() { at("unload"); }
} gStatic;

}  // namespace

extern "C" IPluginCreatorInterface* const* getCreators(int32_t& count) {
  at("getCreators");
  static Creator creator;
  static IPluginCreatorInterface* const list[] = {&creator, &v2Creator()};
  static IPluginCreatorInterface* const wildOnes[] = {wild<IPluginCreatorInterface>()};
  static IPluginCreatorInterface* const nulls[] = {nullptr};
  count = 2;
  if (lies("getCreators", "lie-null")) return nullptr;
  if (lies("getCreators", "lie-none")) return count = 0, list;
  if (lies("getCreators", "lie-negative")) return count = -1, list;
  if (lies("getCreators", "lie-huge")) return count = INT32_MAX, list;
  if (lies("getCreators", "lie-wild")) return wild<IPluginCreatorInterface* const>();
  if (lies("getCreators", "lie-wild-creator")) return count = 1, wildOnes;
  if (lies("getCreators", "lie-null-creator")) return count = 1, nulls;
  return list;
}

extern "C" void setLoggerFinder(ILoggerFinder* finder) {
  at("setLoggerFinder");
  if (mode().where != "log" || finder == nullptr || finder->findLogger() == nullptr) return;
  if (mode().what == "odd") finder->findLogger()->log(ILogger::Severity::kERROR, odd().c_str());
  if (mode().what == "null") finder->findLogger()->log(ILogger::Severity::kERROR, nullptr);
  if (mode().what == "wild") finder->findLogger()->log(ILogger::Severity::kERROR, gWild);
  for (int i = 0; mode().what == "flood" && i < 1000000; ++i) finder->findLogger()->log(ILogger::Severity::kINFO, "words");
}
