#include "prelu_kernel.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace prelu
{
namespace
{
template <typename T>
struct Convert;

template <>
struct Convert<float>
{
    static __device__ float in(float v) { return v; }
    static __device__ float out(float v) { return v; }
};

template <>
struct Convert<__half>
{
    static __device__ float in(__half v) { return __half2float(v); }
    static __device__ __half out(float v) { return __float2half_rn(v); }
};

template <>
struct Convert<__nv_bfloat16>
{
    static __device__ float in(__nv_bfloat16 v) { return __bfloat162float(v); }
    static __device__ __nv_bfloat16 out(float v) { return __float2bfloat16_rn(v); }
};

// A block walks over one (outer, channel) row at a time, so that the slope is read once a row.
template <typename T>
__global__ void kernel(T const* x, float const* slopes, T* y, int64_t rows, int64_t channels, int64_t inner)
{
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    {
        float const slope = slopes[row % channels];
        for (int64_t j = threadIdx.x; j < inner; j += blockDim.x)
        {
            float const v = Convert<T>::in(x[row * inner + j]);
            y[row * inner + j] = Convert<T>::out(v < 0.0F ? slope * v : v);
        }
    }
}

template <typename T>
cudaError_t launch(void const* x, float const* slopes, void* y, int64_t rows, int64_t channels, int64_t inner,
    cudaStream_t stream)
{
    auto const blocks = static_cast<unsigned int>(rows < (1 << 20) ? rows : (1 << 20));
    kernel<T><<<blocks, 128, 0, stream>>>(
        static_cast<T const*>(x), slopes, static_cast<T*>(y), rows, channels, inner);
    return cudaGetLastError();
}
} // namespace

cudaError_t run(nvinfer1::DataType type, void const* x, float const* slopes, void* y, int64_t outer, int64_t channels,
    int64_t inner, cudaStream_t stream)
{
    int64_t const rows = outer * channels;
    if (rows == 0 || inner == 0)
    {
        return cudaSuccess;
    }
    switch (type)
    {
    case nvinfer1::DataType::kFLOAT: return launch<float>(x, slopes, y, rows, channels, inner, stream);
    case nvinfer1::DataType::kHALF: return launch<__half>(x, slopes, y, rows, channels, inner, stream);
    case nvinfer1::DataType::kBF16: return launch<__nv_bfloat16>(x, slopes, y, rows, channels, inner, stream);
    default: return cudaErrorInvalidValue;
    }
}
} // namespace prelu
