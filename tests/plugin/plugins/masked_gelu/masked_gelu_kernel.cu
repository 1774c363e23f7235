#include "masked_gelu_kernel.h"

#include <cuda_fp16.h>

namespace course
{
namespace
{

__device__ bool minus_infinity(float x) { return isinf(x) && x < 0.0f; }

struct Erf
{
    __device__ float operator()(float x) const
    {
        return minus_infinity(x) ? 0.0f : 0.5f * x * (1.0f + erff(x * 0.70710678f));
    }
};

struct Tanh
{
    __device__ float operator()(float x) const
    {
        float const u = 0.79788456f * (x + 0.044715f * x * x * x);
        return minus_infinity(x) ? 0.0f : 0.5f * x * (1.0f + tanhf(u));
    }
};

__device__ float to_float(float v) { return v; }
__device__ float to_float(__half v) { return __half2float(v); }
__device__ void from_float(float v, float& to) { to = v; }
__device__ void from_float(float v, __half& to) { to = __float2half_rn(v); }

template <class Form, class T, class Mask>
__global__ void masked_gelu_kernel(T const* x, Mask const* mask, T* y, std::int64_t count)
{
    auto const stride = static_cast<std::int64_t>(blockDim.x) * gridDim.x;
    auto i = static_cast<std::int64_t>(blockDim.x) * blockIdx.x + threadIdx.x;
    for (; i < count; i += stride)
        from_float(mask[i] != 0 ? Form{}(to_float(x[i])) : 0.0f, y[i]);
}

template <class Form, class T, class Mask>
cudaError_t launch(MaskedGeluCall const& call, cudaStream_t stream)
{
    constexpr unsigned threads = 256;
    std::int64_t const wanted = (call.count + threads - 1) / threads;
    unsigned const blocks = wanted < 4096 ? static_cast<unsigned>(wanted) : 4096u;
    masked_gelu_kernel<Form><<<blocks, threads, 0, stream>>>(static_cast<T const*>(call.x),
        static_cast<Mask const*>(call.mask), static_cast<T*>(call.y), call.count);
    return cudaGetLastError();
}

template <class T, class Mask>
cudaError_t by_form(MaskedGeluCall const& call, cudaStream_t stream)
{
    return call.form == GeluForm::tanh ? launch<Tanh, T, Mask>(call, stream) : launch<Erf, T, Mask>(call, stream);
}

template <class T>
cudaError_t by_mask(MaskedGeluCall const& call, cudaStream_t stream)
{
    using nvinfer1::DataType;
    if (call.mask_type == DataType::kINT32)
        return by_form<T, std::int32_t>(call, stream);
    if (call.mask_type == DataType::kINT8)
        return by_form<T, std::int8_t>(call, stream);
    return cudaErrorInvalidValue;
}

} // namespace

cudaError_t masked_gelu(MaskedGeluCall const& call, cudaStream_t stream) noexcept
{
    using nvinfer1::DataType;
    if (call.count <= 0)
        return cudaSuccess;
    if (call.x_type == DataType::kFLOAT)
        return by_mask<float>(call, stream);
    if (call.x_type == DataType::kHALF)
        return by_mask<__half>(call, stream);
    return cudaErrorInvalidValue;
}

} // namespace course
