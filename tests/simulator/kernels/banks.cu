// Shared memory by elements of 1 to 16 bytes, STRIDE elements apart, PAIRS of lanes at one element.
#ifndef STRIDE
#define STRIDE 1
#endif
#ifndef PAIRS
#define PAIRS 1
#endif

template <class T> __device__ T value(int k);
template <> __device__ unsigned char value(int k) { return static_cast<unsigned char>(k); }
template <> __device__ unsigned short value(int k) { return static_cast<unsigned short>(k); }
template <> __device__ int value(int k) { return k; }
template <> __device__ int2 value(int k) { return make_int2(k, k + 1); }
template <> __device__ int4 value(int k) { return make_int4(k, k + 1, k + 2, k + 3); }

// All is written; then each warp reads STRIDE apart, and writes STRIDE apart in the other half.
template <class T>
__device__ void strided(T* to, int first)
{
    __shared__ T data[1024];
    int t = threadIdx.x;
    for (int k = t; k < 1024; k += blockDim.x) data[k] = value<T>(k + first);
    __syncthreads();
    T mine = data[t / PAIRS * STRIDE % 512];
    __syncthreads();
    data[512 + t * STRIDE % 512] = mine;
    __syncthreads();
    to[blockIdx.x * blockDim.x + t] = data[512 + t];
}

extern "C" __global__ void banks_1(unsigned char* to, int first) { strided(to, first); }
extern "C" __global__ void banks_2(unsigned short* to, int first) { strided(to, first); }
extern "C" __global__ void banks_4(int* to, int first) { strided(to, first); }
extern "C" __global__ void banks_8(int2* to, int first) { strided(to, first); }
extern "C" __global__ void banks_16(int4* to, int first) { strided(to, first); }

// Elements of one thread's choice: the lanes read by a table of indices.
extern "C" __global__ void banks_indexed_4(const int* index, int* to)
{
    __shared__ int data[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) data[k] = k;
    __syncthreads();
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    to[k] = data[index[k]];
}

extern "C" __global__ void banks_indexed_8(const int* index, int2* to)
{
    __shared__ int2 data[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) data[k] = make_int2(k, -k);
    __syncthreads();
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    to[k] = data[index[k]];
}

extern "C" __global__ void banks_indexed_16(const int* index, int4* to)
{
    __shared__ int4 data[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) data[k] = make_int4(k, -k, k, -k);
    __syncthreads();
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    to[k] = data[index[k]];
}

// Dynamic shared memory, its size given at the launch.
extern "C" __global__ void reversed_dynamic(int* data)
{
    extern __shared__ int part[];
    int t = threadIdx.x, at = blockIdx.x * blockDim.x + t;
    part[t] = data[at];
    __syncthreads();
    data[at] = part[blockDim.x - 1 - t];
}
