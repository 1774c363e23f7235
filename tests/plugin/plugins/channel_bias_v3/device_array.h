#pragma once

#include <cuda_runtime_api.h>
#include <vector>

/// Floats on the device, uploaded once and freed with their owner.
class DeviceArray
{
public:
    DeviceArray() = default;
    DeviceArray(DeviceArray const&) = delete;
    DeviceArray& operator=(DeviceArray const&) = delete;
    ~DeviceArray() { reset(); }

    float const* data() const noexcept { return mData; }

    /// Does nothing where the array is there already. Synchronous: not for enqueue.
    cudaError_t fill(std::vector<float> const& values) noexcept
    {
        if (mData != nullptr)
        {
            return cudaSuccess;
        }
        float* data = nullptr;
        cudaError_t status = cudaMalloc(reinterpret_cast<void**>(&data), values.size() * sizeof(float));
        if (status == cudaSuccess)
        {
            status = cudaMemcpy(data, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
            if (status != cudaSuccess)
            {
                cudaFree(data);
                data = nullptr;
            }
        }
        mData = data;
        return status;
    }

    void reset() noexcept
    {
        if (mData != nullptr)
        {
            cudaFree(mData);
            mData = nullptr;
        }
    }

private:
    float* mData = nullptr;
};
