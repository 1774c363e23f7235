#pragma once

#include <NvInferRuntime.h>
#include <new>

/// What every attribute-free V3 plugin with one input repeats. Derived has kName, kVersion, kNamespace and kOutputs.
template <typename Derived>
class PluginBase : public nvinfer1::IPluginV3,
                   public nvinfer1::IPluginV3OneCore,
                   public nvinfer1::IPluginV3OneBuild,
                   public nvinfer1::IPluginV3OneRuntime
{
public:
    nvinfer1::IPluginCapability* getCapabilityInterface(nvinfer1::PluginCapabilityType type) noexcept final
    {
        using Type = nvinfer1::PluginCapabilityType;
        switch (type)
        {
        case Type::kCORE: return static_cast<nvinfer1::IPluginV3OneCore*>(this);
        case Type::kBUILD: return static_cast<nvinfer1::IPluginV3OneBuild*>(this);
        case Type::kRUNTIME: return static_cast<nvinfer1::IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }

    nvinfer1::IPluginV3* clone() noexcept final { return new (std::nothrow) Derived; }
    nvinfer1::IPluginV3* attachToContext(nvinfer1::IPluginResourceContext*) noexcept final { return clone(); }

    char const* getPluginName() const noexcept final { return Derived::kName; }
    char const* getPluginVersion() const noexcept final { return Derived::kVersion; }
    char const* getPluginNamespace() const noexcept final { return Derived::kNamespace; }
    int32_t getNbOutputs() const noexcept final { return Derived::kOutputs; }

    int32_t configurePlugin(nvinfer1::DynamicPluginTensorDesc const*, int32_t nbInputs,
        nvinfer1::DynamicPluginTensorDesc const*, int32_t nbOutputs) noexcept override
    {
        return nbInputs == 1 && nbOutputs == Derived::kOutputs ? 0 : -1;
    }

    int32_t onShapeChange(nvinfer1::PluginTensorDesc const*, int32_t nbInputs, nvinfer1::PluginTensorDesc const*,
        int32_t nbOutputs) noexcept override
    {
        return nbInputs == 1 && nbOutputs == Derived::kOutputs ? 0 : -1;
    }

    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept final { return &mNoFields; }

private:
    nvinfer1::PluginFieldCollection mNoFields{0, nullptr};
};

template <typename Plugin>
class CreatorBase : public nvinfer1::IPluginCreatorV3One
{
public:
    char const* getPluginName() const noexcept final { return Plugin::kName; }
    char const* getPluginVersion() const noexcept final { return Plugin::kVersion; }
    char const* getPluginNamespace() const noexcept final { return Plugin::kNamespace; }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept final { return &mNoFields; }

    nvinfer1::IPluginV3* createPlugin(
        char const*, nvinfer1::PluginFieldCollection const*, nvinfer1::TensorRTPhase) noexcept final
    {
        return new (std::nothrow) Plugin;
    }

private:
    nvinfer1::PluginFieldCollection mNoFields{0, nullptr};
};
