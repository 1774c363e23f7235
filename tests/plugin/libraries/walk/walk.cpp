// walk LIBNVINFER_LEAN.so.10 LIBRARY: loads a library through the registry and makes a few calls, as an application would.
#include <cstdio>
#include <cstring>

#include <dlfcn.h>

#include <NvInferRuntime.h>

using namespace nvinfer1;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* lean = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (lean == nullptr) return 3;
  IPluginRegistry* registry = reinterpret_cast<IPluginRegistry* (*)()>(dlsym(lean, "getPluginRegistry"))();
  if (registry->loadLibrary(argv[2]) == nullptr) return 4;
  auto* creator = static_cast<IPluginCreatorV3One*>(registry->getCreator("Double", "1", ""));
  if (creator == nullptr) return 5;
  const float scale = 2.5F;
  const PluginField field("scale", &scale, PluginFieldType::kFLOAT32, 1);
  const PluginFieldCollection fields{1, &field};
  IPluginV3* plugin = creator->createPlugin("layer", &fields, TensorRTPhase::kBUILD);
  if (plugin == nullptr) return 6;
  auto* build = static_cast<IPluginV3OneBuild*>(plugin->getCapabilityInterface(PluginCapabilityType::kBUILD));
  auto* runtime = static_cast<IPluginV3OneRuntime*>(plugin->getCapabilityInterface(PluginCapabilityType::kRUNTIME));
  DynamicPluginTensorDesc tensors[2]{};
  for (DynamicPluginTensorDesc& each : tensors) {
    each.desc.dims = Dims{2, {-1, 3}};
    each.min = each.opt = each.max = Dims{2, {4, 3}};
  }
  if (!build->supportsFormatCombination(1, tensors, 1, 1)) return 7;
  if (build->configurePlugin(tensors, 1, tensors + 1, 1) != 0) return 8;
  const PluginFieldCollection* kept = runtime->getFieldsToSerialize();
  if (kept->nbFields != 1 || std::memcmp(kept->fields[0].data, &scale, sizeof scale) != 0) return 9;
  IPluginV3* attached = runtime->attachToContext(nullptr);
  runtime = static_cast<IPluginV3OneRuntime*>(attached->getCapabilityInterface(PluginCapabilityType::kRUNTIME));
  tensors[0].desc.dims = tensors[1].desc.dims = Dims{2, {4, 3}};
  runtime->onShapeChange(&tensors[0].desc, 1, &tensors[1].desc, 1);
  const void* inputs[] = {&scale};
  void* outputs[] = {nullptr};
  if (runtime->enqueue(&tensors[0].desc, &tensors[1].desc, inputs, outputs, nullptr, nullptr) != 0) return 10;
  delete attached;
  delete plugin;
  std::puts("walked");
  return 0;
}
