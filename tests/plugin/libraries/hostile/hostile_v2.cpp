// y = x once more, as an IPluginV2DynamicExt: places begin with "v2".
#include "hostile_v2.h"

#include <cstdint>
#include <cstring>

#include <cuda_runtime_api.h>

#include "mode.h"

using namespace nvinfer1;

namespace {

class HostileV2 final : public IPluginV2DynamicExt {
 public:
  int32_t getTensorRTVersion() const noexcept override {
    at("v2getTensorRTVersion");
    return lies("v2getTensorRTVersion", "lie-odd") ? 0x7F00000A : IPluginV2DynamicExt::getTensorRTVersion();
  }
  AsciiChar const* getPluginType() const noexcept override { return "HostileV2"; }
  AsciiChar const* getPluginVersion() const noexcept override { return "1"; }
  AsciiChar const* getPluginNamespace() const noexcept override {
    return lies("v2getPluginNamespace", "lie-wild") ? gWild : namespace_.c_str();
  }
  void setPluginNamespace(AsciiChar const* text) noexcept override { namespace_ = text; }
  int32_t getNbOutputs() const noexcept override { return lies("v2getNbOutputs", "lie-huge") ? INT32_MAX : 1; }
  DataType getOutputDataType(int32_t, DataType const* inputs, int32_t) const noexcept override {
    return lies("v2getOutputDataType", "lie-no-type") ? static_cast<DataType>(-77) : inputs[0];
  }
  DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t, IExprBuilder&) noexcept override {
    DimsExprs made = inputs[0];
    if (lies("v2getOutputDimensions", "lie-huge-rank")) made.nbDims = INT32_MAX;
    if (lies("v2getOutputDimensions", "lie-wild")) made.d[0] = wild<IDimensionExpr>();
    return made;
  }
  bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) noexcept override {
    return inOut[pos].type == DataType::kFLOAT && inOut[pos].format == TensorFormat::kLINEAR;
  }
  void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                       int32_t) noexcept override {
    at("v2configurePlugin");
  }
  size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) const noexcept override {
    return 0;
  }
  int32_t initialize() noexcept override { return at("v2initialize"), 0; }
  void terminate() noexcept override { at("v2terminate"); }
  size_t getSerializationSize() const noexcept override {
    at("v2getSerializationSize");
    static size_t calls = 0;
    if (lies("v2getSerializationSize", "lie-2^63")) return size_t{1} << 63;
    if (lies("v2getSerializationSize", "lie-2^24")) return size_t{1} << 24;
    if (lies("v2getSerializationSize", "lie-changing")) return ++calls;
    return sizeof kMark;
  }
  void serialize(void* buffer) const noexcept override {
    at("v2serialize");
    std::memcpy(buffer, &kMark, sizeof kMark);
    if (lies("v2serialize", "lie-past-end")) std::memset(buffer, 0, 64);
    if (lies("v2serialize", "lie-far-past-end")) std::memset(buffer, 0, 1 << 16);
  }
  void destroy() noexcept override { at("v2destroy"), delete this; }
  IPluginV2DynamicExt* clone() const noexcept override {
    at("v2clone");
    if (lies("v2clone", "lie-wild")) return wild<IPluginV2DynamicExt>();
    if (lies("v2clone", "lie-null")) return nullptr;
    auto* made = new HostileV2;
    made->namespace_ = namespace_;
    return made;
  }
  void attachToContext(cudnnContext*, cublasContext*, IGpuAllocator*) noexcept override { at("v2attachToContext"); }
  void detachFromContext() noexcept override { at("v2detachFromContext"); }
  int32_t enqueue(PluginTensorDesc const* inputs, PluginTensorDesc const*, void const* const* from, void* const* to,
                  void*, cudaStream_t stream) noexcept override {
    size_t bytes = 4;
    for (int32_t i = 0; i < inputs[0].dims.nbDims; ++i) bytes *= static_cast<size_t>(inputs[0].dims.d[i]);
    return cudaMemcpyAsync(to[0], from[0], bytes, cudaMemcpyDeviceToDevice, stream) == cudaSuccess ? 0 : -1;
  }

  static constexpr uint32_t kMark = 0x48325632;

 private:
  std::string namespace_;
};

class Creator final : public IPluginCreator {
 public:
  AsciiChar const* getPluginName() const noexcept override { return "HostileV2"; }
  AsciiChar const* getPluginVersion() const noexcept override { return "1"; }
  AsciiChar const* getPluginNamespace() const noexcept override { return ""; }
  void setPluginNamespace(AsciiChar const*) noexcept override {}
  PluginFieldCollection const* getFieldNames() noexcept override { return &none_; }
  IPluginV2* createPlugin(AsciiChar const*, PluginFieldCollection const*) noexcept override {
    at("v2createPlugin");
    if (lies("v2createPlugin", "lie-wild")) return wild<IPluginV2>();
    return new HostileV2;
  }
  IPluginV2* deserializePlugin(AsciiChar const*, void const* data, size_t length) noexcept override {
    at("v2deserializePlugin");
    if (lies("v2deserializePlugin", "lie-wild")) return wild<IPluginV2>();
    if (lies("v2deserializePlugin", "lie-past-end")) {
      volatile char past = static_cast<char const*>(data)[length];
      (void)past;
    }
    if (data == nullptr || length != sizeof HostileV2::kMark) return nullptr;
    return std::memcmp(data, &HostileV2::kMark, length) == 0 ? new HostileV2 : nullptr;
  }

 private:
  PluginFieldCollection none_{};
};

}  // namespace

IPluginCreator& v2Creator() {
  static Creator creator;
  return creator;
}
