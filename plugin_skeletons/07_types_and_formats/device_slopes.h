// Supplied: the slopes on the device. Each plugin that runs has its own copy, made once, outside of enqueue().
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <vector>

class DeviceSlopes
{
public:
    DeviceSlopes() = default;
    DeviceSlopes(DeviceSlopes const&) = delete;
    DeviceSlopes& operator=(DeviceSlopes const&) = delete;
    ~DeviceSlopes() { static_cast<void>(cudaFree(mSlopes)); } // of a null pointer, too

    // Copies the values; what is there already stays.
    cudaError_t upload(std::vector<float> const& values) noexcept
    {
        if (mSlopes != nullptr)
        {
            return cudaSuccess;
        }
        size_t const bytes = values.size() * sizeof(float);
        void* memory = nullptr;
        cudaError_t error = cudaMalloc(&memory, bytes);
        if (error != cudaSuccess)
        {
            return error;
        }
        error = cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice);
        if (error != cudaSuccess)
        {
            static_cast<void>(cudaFree(memory));
            return error;
        }
        mSlopes = static_cast<float*>(memory);
        return cudaSuccess;
    }

    float const* data() const noexcept { return mSlopes; }

private:
    float* mSlopes = nullptr;
};
