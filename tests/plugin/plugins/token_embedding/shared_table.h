#pragma once

#include <NvInferRuntime.h>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// A table on the device, shared by all plugins of a process that ask the registry for the same key.
///
/// TensorRT keeps clone() of what it is first given, counts who has it, and calls release() when nobody does. So only
/// the clone touches the device.
class SharedTable final : public nvinfer1::IPluginResource
{
public:
    explicit SharedTable(std::shared_ptr<std::vector<float> const> values) noexcept;

    nvinfer1::IPluginResource* clone() noexcept override;
    int32_t release() noexcept override;

    float const* data() const noexcept { return mData; }

private:
    std::shared_ptr<std::vector<float> const> mValues;
    float* mData{nullptr};
};

/// A plugin's hold of a shared table: acquired once, given back when it ends.
class TableLease
{
public:
    TableLease() = default;
    TableLease(TableLease const&) = delete;
    TableLease& operator=(TableLease const&) = delete;
    ~TableLease();

    /// Does nothing where there is a lease already. False where the registry or the device refuses.
    bool acquire(std::string const& key, std::shared_ptr<std::vector<float> const> const& values) noexcept;

    float const* data() const noexcept { return mTable == nullptr ? nullptr : mTable->data(); }

private:
    std::string mKey;
    SharedTable* mTable{nullptr};
};

/// Equal for equal tables, different for others: length and two hashes of the bytes.
std::string keyOf(std::vector<float> const& values);
