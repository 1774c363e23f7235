#pragma once

#include <NvInferRuntime.h>
#include <cstdint>

/// The limits: numbers, or elements of x's type on the device where the pointers are not null.
struct Limits
{
    double low, high;
    void const* lowAt;
    void const* highAt;
};

/// type: kFLOAT, kBF16 or kINT32.
cudaError_t clampElements(nvinfer1::DataType type, void const* x, void* y, int64_t n, Limits const& limits,
    cudaStream_t stream) noexcept;
