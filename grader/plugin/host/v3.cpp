// IPluginV3 with the capabilities of the V3ONE family (NvInferRuntime.h 10.14).
#include <map>
#include <vector>

#include "descriptors.h"
#include "expressions.h"
#include "formats.h"
#include "plugin.h"
#include "resources.h"

using namespace nvinfer1;

namespace host {
namespace {

using Context = std::unique_ptr<IPluginResourceContext>;

class PluginV3 final : public Plugin {
 public:
  explicit PluginV3(IPluginV3* plugin, Context context = nullptr) : plugin_(plugin), context_(std::move(context)) {}

  Value call(const std::string& method, const Value& arguments, bool& known) override;
  void end() override { delete plugin_; }
  const void* address() const override { return plugin_; }
  Plugin* cloned() override { return wrap(plugin_->clone()); }
  Plugin* attached() override {
    if (runtime() == nullptr) return nullptr;
    Context context = newResourceContext();
    IPluginV3* made = TIMED(runtime()->attachToContext(context.get()));
    return made == nullptr ? nullptr : new PluginV3(made, std::move(context));
  }
  int32_t shapeChange(const Value& inputs, const Value& outputs) override;
  int32_t run(const Value& arguments) override;

 private:
  using Method = Value (PluginV3::*)(const Value&);
  static const std::map<std::string, Method> kCore, kBuild, kRuntime;

  // Asked for at every use, as TensorRT may: an object that gives out another one each time is found out.
  IPluginV3OneCore* core() { return static_cast<IPluginV3OneCore*>(capability(PluginCapabilityType::kCORE)); }
  IPluginV3OneBuild* build() { return static_cast<IPluginV3OneBuild*>(capability(PluginCapabilityType::kBUILD)); }
  IPluginV3OneRuntime* runtime() {
    return static_cast<IPluginV3OneRuntime*>(capability(PluginCapabilityType::kRUNTIME));
  }
  IPluginCapability* capability(PluginCapabilityType type) { return plugin_->getCapabilityInterface(type); }

  Value getCapabilityInterface(const Value& a);
  Value clone(const Value&) { return kept(wrap(TIMED(plugin_->clone()))); }

  Value getPluginName(const Value&) { return TIMED(core()->getPluginName()); }
  Value getPluginVersion(const Value&) { return TIMED(core()->getPluginVersion()); }
  Value getPluginNamespace(const Value&) { return TIMED(core()->getPluginNamespace()); }

  Value getNbOutputs(const Value&) { return TIMED(build()->getNbOutputs()); }
  Value getOutputDataTypes(const Value& a);
  Value getOutputShapes(const Value& a);
  Value supportsFormatCombination(const Value& a);
  Value formatCombinations(const Value& a);
  Value configurePlugin(const Value& a);
  Value getWorkspaceSize(const Value& a);
  Value getNbTactics(const Value&) { return TIMED(build()->getNbTactics()); }
  Value getValidTactics(const Value& a);
  Value getTimingCacheID(const Value&) { return TIMED(build()->getTimingCacheID()); }
  Value getFormatCombinationLimit(const Value&) { return TIMED(build()->getFormatCombinationLimit()); }
  Value getMetadataString(const Value&) { return TIMED(build()->getMetadataString()); }
  Value getAliasedInput(const Value& a);

  Value setTactic(const Value& a) { return TIMED(runtime()->setTactic(a[0].small())); }
  Value onShapeChange(const Value& a) { return shapeChange(a[0], a[1]); }
  Value enqueue(const Value& a) { return run(a); }
  Value attachToContext(const Value&) { return kept(attached()); }
  Value getFieldsToSerialize(const Value&) { return valueOf(fields_ = TIMED(runtime()->getFieldsToSerialize())); }
  // What getFieldsToSerialize returned last, read once more: the plugin is not asked.
  Value sameFields(const Value&) { return valueOf(fields_); }

  IPluginV3* plugin_;
  PluginFieldCollection const* fields_{nullptr};
  Context context_;  // where it is attached to one
};

const std::map<std::string, PluginV3::Method> PluginV3::kCore = {
    {"getPluginName", &PluginV3::getPluginName},
    {"getPluginVersion", &PluginV3::getPluginVersion},
    {"getPluginNamespace", &PluginV3::getPluginNamespace},
};

const std::map<std::string, PluginV3::Method> PluginV3::kBuild = {
    {"getNbOutputs", &PluginV3::getNbOutputs},
    {"getOutputDataTypes", &PluginV3::getOutputDataTypes},
    {"getOutputShapes", &PluginV3::getOutputShapes},
    {"supportsFormatCombination", &PluginV3::supportsFormatCombination},
    {"formatCombinations", &PluginV3::formatCombinations},
    {"configurePlugin", &PluginV3::configurePlugin},
    {"getWorkspaceSize", &PluginV3::getWorkspaceSize},
    {"getNbTactics", &PluginV3::getNbTactics},
    {"getValidTactics", &PluginV3::getValidTactics},
    {"getTimingCacheID", &PluginV3::getTimingCacheID},
    {"getFormatCombinationLimit", &PluginV3::getFormatCombinationLimit},
    {"getMetadataString", &PluginV3::getMetadataString},
    {"getAliasedInput", &PluginV3::getAliasedInput},
};

const std::map<std::string, PluginV3::Method> PluginV3::kRuntime = {
    {"setTactic", &PluginV3::setTactic},
    {"onShapeChange", &PluginV3::onShapeChange},
    {"enqueue", &PluginV3::enqueue},
    {"attachToContext", &PluginV3::attachToContext},
    {"getFieldsToSerialize", &PluginV3::getFieldsToSerialize},
    {"sameFields", &PluginV3::sameFields},
};

Value PluginV3::call(const std::string& method, const Value& arguments, bool& known) {
  known = true;
  if (method == "getCapabilityInterface") return getCapabilityInterface(arguments);
  if (method == "clone") return clone(arguments);
  const struct {
    const std::map<std::string, Method>& methods;
    PluginCapabilityType type;
  } families[] = {{kCore, PluginCapabilityType::kCORE},
                  {kBuild, PluginCapabilityType::kBUILD},
                  {kRuntime, PluginCapabilityType::kRUNTIME}};
  for (const auto& family : families) {
    const auto found = family.methods.find(method);
    if (found != family.methods.end() && capability(family.type) != nullptr) return (this->*found->second)(arguments);
  }
  known = false;
  return Value();
}

// Null, or [kind, major version, minor version, an address to compare].
Value PluginV3::getCapabilityInterface(const Value& a) {
  IPluginCapability* found = TIMED(capability(static_cast<PluginCapabilityType>(a[0].small())));
  if (found == nullptr) return Value();
  const InterfaceInfo info = found->getInterfaceInfo();
  return List{Value(info.kind), info.major, info.minor, Value(reinterpret_cast<int64_t>(found))};
}

Value PluginV3::getOutputDataTypes(const Value& a) {  // [types of the inputs, number of outputs] -> [status, types]
  LentArray<DataType> inputs("the input types", a[0].size());
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<DataType>(a[0][i].small());
  LentArray<DataType> outputs("the output types", static_cast<size_t>(a[1].integer()));
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = static_cast<DataType>(-1);
  const int32_t status = TIMED(build()->getOutputDataTypes(outputs.data(), static_cast<int32_t>(outputs.size()),
                                                           inputs.data(), static_cast<int32_t>(inputs.size())));
  List types;
  for (size_t i = 0; i < outputs.size(); ++i) types.push_back(static_cast<int32_t>(outputs[i]));
  return List{status, types};
}

// [extents of each input, values of each shape input, number of outputs] -> [status, nodes, extents of each output].
Value PluginV3::getOutputShapes(const Value& a) {
  Expressions builder;
  LentArray<DimsExprs> inputs("the input shapes", a[0].size());
  LentArray<DimsExprs> shapes("the shape inputs", a[1].size());
  LentArray<DimsExprs> outputs("the output shapes", static_cast<size_t>(a[2].integer()));
  fillShapes(builder, a[0], inputs.data());
  fillShapes(builder, a[1], shapes.data());
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i].nbDims = -1;
  const int32_t status = TIMED(build()->getOutputShapes(
      inputs.data(), static_cast<int32_t>(inputs.size()), shapes.size() == 0 ? nullptr : shapes.data(),
      static_cast<int32_t>(shapes.size()), outputs.data(), static_cast<int32_t>(outputs.size()), builder));
  List rows;
  for (size_t i = 0; i < outputs.size(); ++i) rows.push_back(shapeValue(builder, outputs[i]));
  return List{status, builder.nodes(), rows};
}

Value PluginV3::supportsFormatCombination(const Value& a) {  // [position, descriptors, number of inputs]
  DynamicDescriptors all = dynamicDescriptorsOf("the format descriptors", a[1]);
  const int32_t inputs = a[2].small();
  return TIMED(build()->supportsFormatCombination(a[0].small(), all.data(), inputs,
                                                  static_cast<int32_t>(all.size()) - inputs));
}

// [descriptors, number of inputs, candidates, most, null or the [type, format] of what stands behind the position]
Value PluginV3::formatCombinations(const Value& a) {
  DynamicDescriptors all = dynamicDescriptorsOf("the format descriptors", a[0]);
  const int32_t inputs = a[1].small();
  const int32_t outputs = static_cast<int32_t>(all.size()) - inputs;
  return searchFormats(all.size(), a[2], a[3].integer(), [&](size_t position, int32_t type, int32_t format) {
    all[position].desc.type = static_cast<DataType>(type);
    all[position].desc.format = static_cast<TensorFormat>(format);
    for (size_t behind = position + 1; behind < all.size() && !a[4].isNull(); ++behind) {
      all[behind].desc.type = static_cast<DataType>(a[4][0].small());
      all[behind].desc.format = static_cast<TensorFormat>(a[4][1].small());
    }
    return build()->supportsFormatCombination(static_cast<int32_t>(position), all.data(), inputs, outputs);
  });
}

Value PluginV3::configurePlugin(const Value& a) {
  DynamicDescriptors in = dynamicDescriptorsOf("the input descriptors", a[0]);
  DynamicDescriptors out = dynamicDescriptorsOf("the output descriptors", a[1]);
  return TIMED(build()->configurePlugin(in.data(), static_cast<int32_t>(in.size()), out.data(),
                                        static_cast<int32_t>(out.size())));
}

Value PluginV3::getWorkspaceSize(const Value& a) {
  DynamicDescriptors in = dynamicDescriptorsOf("the input descriptors", a[0]);
  DynamicDescriptors out = dynamicDescriptorsOf("the output descriptors", a[1]);
  return static_cast<uint64_t>(TIMED(build()->getWorkspaceSize(
      in.data(), static_cast<int32_t>(in.size()), out.data(), static_cast<int32_t>(out.size()))));
}

Value PluginV3::getValidTactics(const Value& a) {  // [how many there is room for] -> [status, tactics]
  LentArray<int32_t> tactics("the tactics", static_cast<size_t>(a[0].integer()));
  for (size_t i = 0; i < tactics.size(); ++i) tactics[i] = INT32_MIN;
  const int32_t status = TIMED(build()->getValidTactics(tactics.data(), static_cast<int32_t>(tactics.size())));
  List rows;
  for (size_t i = 0; i < tactics.size(); ++i) rows.push_back(tactics[i]);
  return List{status, rows};
}

Value PluginV3::getAliasedInput(const Value& a) {  // -1 for what is not IPluginV3OneBuildV2
  if (build()->getInterfaceInfo().major < 2) return -1;
  return TIMED(static_cast<IPluginV3OneBuildV2*>(build())->getAliasedInput(a[0].small()));
}

int32_t PluginV3::shapeChange(const Value& inputs, const Value& outputs) {
  Descriptors in = descriptorsOf("the input descriptors", inputs);
  Descriptors out = descriptorsOf("the output descriptors", outputs);
  return TIMED(runtime()->onShapeChange(in.data(), static_cast<int32_t>(in.size()), out.data(),
                                        static_cast<int32_t>(out.size())));
}

int32_t PluginV3::run(const Value& a) {  // [inputs, outputs, their addresses, theirs, workspace, stream]
  Descriptors in = descriptorsOf("the input descriptors", a[0]);
  Descriptors out = descriptorsOf("the output descriptors", a[1]);
  LentArray<void*> from = addressesOf("the array of input pointers", a[2]);
  LentArray<void*> to = addressesOf("the array of output pointers", a[3]);
  return TIMED(runtime()->enqueue(in.data(), out.data(), from.data(), to.data(),
                                  reinterpret_cast<void*>(a[4].integer()),
                                  reinterpret_cast<cudaStream_t>(a[5].integer())));
}

}  // namespace

Plugin* wrap(IPluginV3* plugin) { return plugin == nullptr ? nullptr : new PluginV3(plugin); }

}  // namespace host
