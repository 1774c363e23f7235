#pragma once

#include <NvInferRuntime.h>
#include <cstdint>

namespace course
{

enum class GeluForm : std::int32_t { erf = 0, tanh = 1 };

struct MaskedGeluCall
{
    void const* x = nullptr;
    void const* mask = nullptr;
    void* y = nullptr;
    std::int64_t count = 0;
    nvinfer1::DataType x_type = nvinfer1::DataType::kFLOAT;    // kFLOAT or kHALF; y has the same
    nvinfer1::DataType mask_type = nvinfer1::DataType::kINT32; // kINT32 or kINT8
    GeluForm form = GeluForm::erf;
};

cudaError_t masked_gelu(MaskedGeluCall const& call, cudaStream_t stream) noexcept;

} // namespace course
