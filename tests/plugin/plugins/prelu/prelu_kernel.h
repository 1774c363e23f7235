#ifndef PRELU_KERNEL_H
#define PRELU_KERNEL_H

#include <NvInferRuntime.h>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace prelu
{
/// x and y are (outer, channels, inner) of `type` (kFLOAT, kHALF or kBF16); slopes has `channels` floats on the device.
cudaError_t run(nvinfer1::DataType type, void const* x, float const* slopes, void* y, int64_t outer, int64_t channels,
    int64_t inner, cudaStream_t stream);
} // namespace prelu

#endif
