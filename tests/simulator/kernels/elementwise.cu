// The elementwise kernels whose counters were measured on an NVIDIA H200 (h200_counters.csv).
#include <cuda_fp16.h>

__device__ float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

__device__ float gelu_tanh(float v)
{
    float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
    return 0.5f * v * (1.0f + tanhf(inner));
}

extern "C" __global__ void masked_gelu(const half* __restrict__ input, const bool* __restrict__ keep,
                                       half* __restrict__ output, int count)
{
    const int step = gridDim.x * blockDim.x;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += step) {
        float value = __half2float(input[k]);
        output[k] = __float2half(keep[k] ? gelu(value) : 0.0f);
    }
}

extern "C" __global__ void masked_gelu_tanh(const half* __restrict__ input, const bool* __restrict__ keep,
                                            half* __restrict__ output, int count)
{
    const int step = gridDim.x * blockDim.x;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += step) {
        float value = __half2float(input[k]);
        output[k] = __float2half(keep[k] ? gelu_tanh(value) : 0.0f);
    }
}

__device__ float prelu(float v, float slope)
{
    return v > 0.0f ? v : slope * v;
}

extern "C" __global__ void prelu4(const float4* __restrict__ input, const float* __restrict__ slopes,
                                  float4* __restrict__ output, int quads, int quads_per_channel, int channels)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < quads) {
        float slope = slopes[k / quads_per_channel % channels];
        float4 v = input[k];
        output[k] = make_float4(prelu(v.x, slope), prelu(v.y, slope), prelu(v.z, slope), prelu(v.w, slope));
    }
}
