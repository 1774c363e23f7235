// Masked GELU, backward:   dx[i] = mask[i] ? dy[i] * GELU'(x[i]) : 0   for 0 <= i < n
//
// Device code only. NVRTC, nvcc and cupy.RawModule compile this file as it stands, so it includes no standard header.
// What must hold (special values, tolerances, extents) stands in the contract, in the chapter.
#include <cuda_fp16.h>

// Given: memory holds T, arithmetic is in float. An FP16 result is rounded once, when it is stored.
__device__ inline float load(const float* p) { return *p; }
__device__ inline float load(const __half* p) { return __half2float(*p); }
__device__ inline void store(float* p, float value) { *p = value; }
__device__ inline void store(__half* p, float value) { *p = __float2half(value); }

// YOUR TURN 1: the slope of GELU in its erf and its tanh form, for any x that is not NaN, infinities included.
// Beyond this the slope is 1 or 0 to the last bit of a float, and the formulas would multiply 0 by infinity.
constexpr float kFlat = 20.0f;

struct Erf {
    static __device__ float slope(float x)
    {
        if (fabsf(x) > kFlat) return x > 0.0f ? 1.0f : 0.0f;
        float cdf = 0.5f * (1.0f + erff(x * 0.70710678f));
        float density = 0.39894228f * expf(-0.5f * x * x);
        return cdf + x * density;
    }
};

struct Tanh {
    static __device__ float slope(float x)
    {
        if (fabsf(x) > kFlat) return x > 0.0f ? 1.0f : 0.0f;
        float t = tanhf(0.79788456f * (x + 0.044715f * x * x * x));
        float inner = 0.79788456f * (1.0f + 0.134145f * x * x);
        return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * inner;
    }
};
// END

// YOUR TURN 2: the same walk as in the forward kernel, over two inputs and a mask.
template <class Form, class T>
__device__ void masked_gelu_backward(const T* dy, const T* x, const unsigned char* mask, T* dx, long long n)
{
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (long long i = first; i < n; i += step) {
        store(dx + i, mask[i] ? load(dy + i) * Form::slope(load(x + i)) : 0.0f);
    }
}
// END

// Given: the kernels that a caller finds by name, one for each form and type.
#define MASKED_GELU_BACKWARD(name, Form, T) \
    extern "C" __global__ void name(const T* dy, const T* x, const unsigned char* mask, T* dx, long long n) \
    { \
        masked_gelu_backward<Form>(dy, x, mask, dx, n); \
    }

MASKED_GELU_BACKWARD(masked_gelu_backward_erf_f32, Erf, float)
MASKED_GELU_BACKWARD(masked_gelu_backward_erf_f16, Erf, __half)
MASKED_GELU_BACKWARD(masked_gelu_backward_tanh_f32, Tanh, float)
MASKED_GELU_BACKWARD(masked_gelu_backward_tanh_f16, Tanh, __half)
