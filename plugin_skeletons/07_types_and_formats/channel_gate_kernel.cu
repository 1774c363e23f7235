// Supplied: the kernel of ChannelGate, for three types and two ways in which a tensor may lie. There is no defect here.
#include "channel_gate_kernel.h"

#include <algorithm>

namespace
{
constexpr int kBLOCK = 256;
constexpr int64_t kMAX_BLOCKS = 65535;

__device__ float toFloat(float value) { return value; }
__device__ float toFloat(__half value) { return __half2float(value); }
__device__ float toFloat(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ void store(float* at, float value) { *at = value; }
__device__ void store(__half* at, float value) { *at = __float2half(value); }
__device__ void store(__nv_bfloat16* at, float value) { *at = __float2bfloat16(value); }

// A thread for each element that is stored, padding too: it is written as 0.
template <typename T>
__global__ void gateKernel(T const* x, float const* gate, T* y, GateLayout layout, int64_t n)
{
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        if (!layout.channelsLast)
        {
            store(y + i, gate[i / layout.pixels] * toFloat(x[i]));
            continue;
        }
        int64_t const channel = i % layout.stored;
        int64_t const image = i / layout.stored / layout.pixels;
        bool const isElement = channel < layout.channels;
        store(y + i, isElement ? gate[image * layout.channels + channel] * toFloat(x[i]) : 0.0F);
    }
}
} // namespace

template <typename T>
cudaError_t channelGate(T const* x, float const* gate, T* y, GateLayout layout, cudaStream_t stream)
{
    int64_t const n = layout.images * layout.stored * layout.pixels;
    if (n == 0)
    {
        return cudaSuccess;
    }
    auto const blocks = static_cast<unsigned>(std::min((n + kBLOCK - 1) / kBLOCK, kMAX_BLOCKS));
    gateKernel<T><<<blocks, kBLOCK, 0, stream>>>(x, gate, y, layout, n);
    return cudaGetLastError();
}

template cudaError_t channelGate(float const*, float const*, float*, GateLayout, cudaStream_t);
template cudaError_t channelGate(__half const*, float const*, __half*, GateLayout, cudaStream_t);
template cudaError_t channelGate(__nv_bfloat16 const*, float const*, __nv_bfloat16*, GateLayout, cudaStream_t);
