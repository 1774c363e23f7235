// Masked GELU, forward:   y[i] = mask[i] ? GELU(x[i]) : 0   for 0 <= i < n
//
// Device code only. NVRTC, nvcc and cupy.RawModule compile this file as it stands, so it includes no standard header.
// What must hold (special values, tolerances, extents) stands in the contract, in the chapter.
#include <cuda_fp16.h>

// Given: memory holds T, arithmetic is in float. An FP16 result is rounded once, when it is stored.
__device__ inline float load(const float* p) { return *p; }
__device__ inline float load(const __half* p) { return __half2float(*p); }
__device__ inline void store(float* p, float value) { *p = value; }
__device__ inline void store(__half* p, float value) { *p = __float2half(value); }

// YOUR TURN 1: the three forms of GELU. Each takes and gives a float; each has a limit at -Inf that is not NaN.
// NVRTC knows erff, erfcf, tanhf, expf, isinf and isnan without any header. INFINITY is a macro of <cmath>, which
// is not there: ask isinf(x), or write __int_as_float(0x7f800000).
struct Erf {
    static __device__ float gelu(float x)
    {
        return 0.0f;
    }
};

struct Tanh {
    static __device__ float gelu(float x)
    {
        return 0.0f;
    }
};

struct Sigmoid {
    static __device__ float gelu(float x)
    {
        return 0.0f;
    }
};
// END

// YOUR TURN 2: every thread walks over the data in steps of the whole grid.
// Read with load(x + i), write with store(y + i, value); Form::gelu(v) is one of the three forms above.
template <class Form, class T>
__device__ void masked_gelu(const T* x, const unsigned char* mask, T* y, long long n)
{
}
// END

// Given: the kernels that a caller finds by name, one for each form and type.
#define MASKED_GELU(name, Form, T) \
    extern "C" __global__ void name(const T* x, const unsigned char* mask, T* y, long long n) \
    { \
        masked_gelu<Form>(x, mask, y, n); \
    }

MASKED_GELU(masked_gelu_erf_f32, Erf, float)
MASKED_GELU(masked_gelu_erf_f16, Erf, __half)
MASKED_GELU(masked_gelu_tanh_f32, Tanh, float)
MASKED_GELU(masked_gelu_tanh_f16, Tanh, __half)
MASKED_GELU(masked_gelu_sigmoid_f32, Sigmoid, float)
MASKED_GELU(masked_gelu_sigmoid_f16, Sigmoid, __half)
