// A little of everything that a kernel can be made of, in small pieces: what the fuzzer likes to change.
#include <cuda_fp16.h>

struct Pair {
    int first;
    double second;
};

__constant__ float weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ unsigned tickets;

__device__ __noinline__ int sum_of(const int* values, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++) sum += values[k];
    return sum;
}

__device__ __noinline__ Pair swapped(Pair p) { return {(int)p.second, (double)p.first}; }

extern "C" __global__ void calls(const int* x, int* y, int n)
{
    int own[8];
    for (int k = 0; k < 8; k++) own[(k + n) & 7] = x[(threadIdx.x + k) & 63];
    Pair p = swapped({sum_of(own, 8), 2.5});
    y[threadIdx.x] = p.first + (int)p.second;
}

extern "C" __global__ void switches(const int* x, float* y)
{
    int v = x[threadIdx.x & 63];
    float w = weights[v & 7];
    switch (v & 7) {
        case 0: w = sinf(w); break;
        case 1: w = w / 3; break;
        case 2: w = sqrtf(w); break;
        case 3: w = __half2float(__float2half(w)); break;
        case 4: __trap();
        default: w = -w;
    }
    y[threadIdx.x] = w;
}

extern "C" __global__ void together(const float* x, float* y)
{
    __shared__ float part[32];
    extern __shared__ float more[];
    float sum = x[threadIdx.x & 63];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    unsigned votes = __ballot_sync(~0u, sum > 0);
    int count = __syncthreads_count(sum > 1);
    if (votes == 77) more[threadIdx.x] = part[0];
    if (__any_sync(~0u, count)) y[threadIdx.x] = part[0] + (float)__popc(votes);
}

extern "C" __global__ void tickets_of(int* y, unsigned long long* z)
{
    __shared__ int own;
    if (threadIdx.x == 0) own = 0;
    __syncthreads();
    atomicAdd(&own, 1);
    unsigned ticket = atomicInc(&tickets, 1000);
    atomicMax(z, (unsigned long long)ticket);
    atomicCAS(y, 0, (int)ticket);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) y[1] = own;
}

extern "C" __global__ void prints(const int* x)
{
    if (threadIdx.x < 2) printf("%d of %s: %5.2f %p\n", x[threadIdx.x], "x", 1.5 * x[0], x);
}

extern "C" __global__ void wide(const int4* x, double2* y, long long n)
{
    int4 v = x[threadIdx.x & 15];
    long long product = (long long)v.x * v.y + n;
    y[threadIdx.x & 15] = make_double2((double)product, __longlong_as_double(__umul64hi(product, v.z)));
}
