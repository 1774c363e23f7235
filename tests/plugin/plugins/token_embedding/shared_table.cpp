#include "shared_table.h"

#include <cstring>
#include <cuda_runtime_api.h>
#include <exception>
#include <new>

using namespace nvinfer1;

SharedTable::SharedTable(std::shared_ptr<std::vector<float> const> values) noexcept
    : mValues(std::move(values))
{
}

IPluginResource* SharedTable::clone() noexcept
{
    std::unique_ptr<SharedTable> made{new (std::nothrow) SharedTable(mValues)};
    if (!made)
    {
        return nullptr;
    }
    size_t const bytes = mValues->size() * sizeof(float);
    if (cudaMalloc(reinterpret_cast<void**>(&made->mData), bytes) != cudaSuccess)
    {
        return nullptr;
    }
    if (cudaMemcpy(made->mData, mValues->data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
    {
        made->release();
        return nullptr;
    }
    return made.release();
}

int32_t SharedTable::release() noexcept
{
    cudaError_t const status = mData == nullptr ? cudaSuccess : cudaFree(mData);
    mData = nullptr; // and the values stay, so that it can be cloned again
    return status == cudaSuccess ? 0 : -1;
}

TableLease::~TableLease()
{
    if (mTable != nullptr)
    {
        getPluginRegistry()->releasePluginResource(mKey.c_str());
    }
}

bool TableLease::acquire(std::string const& key, std::shared_ptr<std::vector<float> const> const& values) noexcept
{
    if (mTable != nullptr)
    {
        return true;
    }
    try
    {
        mKey = key;
        SharedTable prototype{values};
        mTable = static_cast<SharedTable*>(getPluginRegistry()->acquirePluginResource(mKey.c_str(), &prototype));
        return mTable != nullptr;
    }
    catch (std::exception const&)
    {
        return false;
    }
}

std::string keyOf(std::vector<float> const& values)
{
    auto const* bytes = reinterpret_cast<unsigned char const*>(values.data());
    uint64_t first = 0xCBF29CE484222325ULL;
    uint64_t second = 0x9E3779B97F4A7C15ULL;
    for (size_t i = 0; i < values.size() * sizeof(float); ++i)
    {
        first = (first ^ bytes[i]) * 0x100000001B3ULL;
        second = (second + bytes[i] + 1) * 0xBF58476D1CE4E5B9ULL;
        second ^= second >> 29;
    }
    return "course/TokenEmbedding/" + std::to_string(values.size()) + "/" + std::to_string(first) + "/"
        + std::to_string(second);
}
