// For the worked example: y[n, c, l] = gain[c] * x[n, c, l].
#include <cstdint>
#include <cuda_runtime_api.h>

__global__ void channelGain(float const* x, float const* gain, float* y, int64_t n, int64_t channels, int64_t length)
{
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        y[i] = gain[i / length % channels] * x[i];
    }
}

cudaError_t launchChannelGain(float const* x, float const* gain, float* y, int64_t n, int64_t channels, int64_t length,
    cudaStream_t stream)
{
    if (n == 0)
    {
        return cudaSuccess;
    }
    int64_t const blocks = (n + 255) / 256;
    channelGain<<<static_cast<unsigned>(blocks < 65535 ? blocks : 65535), 256, 0, stream>>>(x, gain, y, n, channels, length);
    return cudaGetLastError();
}
