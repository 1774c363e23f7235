// Copies: strides, offsets, widths, tails. One thread moves one element of its type, unless said.
#include <cuda_fp16.h>

extern "C" __global__ void copy(const float* from, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[k];
}

extern "C" __global__ void copy_early_return(const float* from, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    to[k] = from[k];
}

extern "C" __global__ void copy_strided(const float* from, float* to, int stride, int count)
{
    int k = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (k < count) to[k] = from[k];
}

extern "C" __global__ void copy_shifted(const float* from, float* to, int shift, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[k + shift];
}

extern "C" __global__ void copy_reversed(const float* from, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[count - 1 - k];
}

extern "C" __global__ void copy_grid_stride(const float* from, float* to, long long count)
{
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; k < count; k += step) to[k] = from[k];
}

extern "C" __global__ void copy_bytes(const unsigned char* from, unsigned char* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[k] ^ 0x55;
}

extern "C" __global__ void copy_half(const __half* from, __half* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = __hneg(from[k]);
}

// The odd last element goes alone.
extern "C" __global__ void copy_half2(const __half* from, __half* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count / 2) reinterpret_cast<__half2*>(to)[k] = __hneg2(reinterpret_cast<const __half2*>(from)[k]);
    if (k == 0 && count % 2) to[count - 1] = __hneg(from[count - 1]);
}

extern "C" __global__ void copy_double(const double* from, double* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[k];
}

extern "C" __global__ void copy_float2(const float2* from, float2* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[k];
}

// Four elements a thread, the tail one by one.
extern "C" __global__ void copy_float4(const float* from, float* to, int count)
{
    int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = first; k < count / 4; k += step) {
        reinterpret_cast<float4*>(to)[k] = reinterpret_cast<const float4*>(from)[k];
    }
    for (int k = count / 4 * 4 + first; k < count; k += step) to[k] = from[k];
}

extern "C" __global__ void copy_int4_strided(const int4* from, int4* to, int stride, int count)
{
    int k = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (k < count) to[k] = from[k];
}

// Every thread reads the same element.
extern "C" __global__ void broadcast(const float* from, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[blockIdx.x];
}

// Only every other lane takes part.
extern "C" __global__ void copy_odd_lanes(const float* from, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count && (k & 1)) to[k] = from[k];
}

extern "C" __global__ void copy_volume(const float* from, float* to, int width, int height, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < width && y < height && z < depth) to[(z * height + y) * width + x] = from[(z * height + y) * width + x];
}
