// Atomics and reductions, on global and on shared memory.

// Whether a bin gets one count at a time or a weight decides what ptxas makes of it.
extern "C" __global__ void histogram_global(const unsigned char* from, unsigned* bins, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) atomicAdd(bins + from[k], 1u);
}

extern "C" __global__ void histogram_shared(const unsigned char* from, unsigned* bins, int count)
{
    __shared__ unsigned own[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) atomicAdd(own + from[k], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(bins + k, own[k]);
}

extern "C" __global__ void histogram_weighted(const unsigned char* from, const int* weight, int* bins, int count)
{
    __shared__ int own[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
        atomicAdd(own + from[k], weight[k]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        if (own[k]) atomicAdd(bins + k, own[k]);
    }
}

// Features of points are added up in the voxels of a grid, C features a point.
extern "C" __global__ void voxel_scatter(const float* features, const int* voxel, float* sums, int* counts, int points, int width)
{
    int point = blockIdx.x * blockDim.y + threadIdx.y;
    if (point >= points) return;
    int at = voxel[point];
    if (at < 0) return;
    for (int k = threadIdx.x; k < width; k += blockDim.x) atomicAdd(sums + at * width + k, features[point * width + k]);
    if (threadIdx.x == 0) atomicAdd(counts + at, 1);
}

// One thread a point: neighbouring threads add to voxels far apart.
extern "C" __global__ void voxel_maximum(const int* feature, const int* voxel, int* most, int points)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < points && voxel[k] >= 0) atomicMax(most + voxel[k], feature[k]);
}

// STRIDE elements between the addresses of neighbouring lanes; 0: one address for all.
#ifndef STRIDE
#define STRIDE 1
#endif

extern "C" __global__ void red_strided(int* to)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(to + k * STRIDE, k);
}

extern "C" __global__ void atom_strided(int* to, int* old)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    old[k] = atomicAdd(to + k * STRIDE, k);
}

extern "C" __global__ void red_float_strided(float* to)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(to + k * STRIDE, 1.5f);
}

extern "C" __global__ void atom_long_strided(unsigned long long* to, unsigned long long* old)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    old[k] = atomicMax(to + k * STRIDE, static_cast<unsigned long long>(k));
}

extern "C" __global__ void cas_strided(int* to, int* old)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    old[k] = atomicCAS(to + k * STRIDE, 0, k);
}

extern "C" __global__ void exchange_strided(int* to, int* old)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    old[k] = atomicExch(to + k * STRIDE, k);
}

// GROUP neighbouring lanes share an address.
#ifndef GROUP
#define GROUP 1
#endif

extern "C" __global__ void red_grouped(int* to)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(to + k / GROUP, k);
}

extern "C" __global__ void shared_add(int* to)
{
    __shared__ int own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    atomicAdd(own + threadIdx.x % 32 / GROUP * STRIDE, static_cast<int>(threadIdx.x));
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
}

extern "C" __global__ void shared_add_old(int* to)
{
    __shared__ int own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    int old = atomicAdd(own + threadIdx.x % 32 / GROUP * STRIDE, static_cast<int>(threadIdx.x));
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x] + old;
}

extern "C" __global__ void shared_maximum(int* to)
{
    __shared__ int own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    atomicMax(own + threadIdx.x % 32 / GROUP * STRIDE, static_cast<int>(threadIdx.x));
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
}

extern "C" __global__ void shared_cas(int* to)
{
    __shared__ int own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    int old = atomicCAS(own + threadIdx.x % 32 / GROUP * STRIDE, 0, static_cast<int>(threadIdx.x));
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x] + old;
}

// Ones are counted, which ptxas may write in another way than sums.
extern "C" __global__ void shared_count(unsigned* to)
{
    __shared__ unsigned own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    atomicAdd(own + threadIdx.x % 32 / GROUP * STRIDE, 1u);
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
}

extern "C" __global__ void shared_count_old(unsigned* to)
{
    __shared__ unsigned own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    unsigned old = atomicAdd(own + threadIdx.x % 32 / GROUP * STRIDE, 1u);
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x] + old;
}

extern "C" __global__ void shared_exchange(int* to)
{
    __shared__ int own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    int old = atomicExch(own + threadIdx.x % 32 / GROUP * STRIDE, static_cast<int>(threadIdx.x));
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x] + old;
}

extern "C" __global__ void shared_add_float(float* to)
{
    __shared__ float own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    atomicAdd(own + threadIdx.x % 32 / GROUP * STRIDE, static_cast<float>(threadIdx.x));
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
}

extern "C" __global__ void shared_cas_long(unsigned long long* to)
{
    __shared__ unsigned long long own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    unsigned long long old = atomicCAS(own + threadIdx.x % 32 / GROUP * STRIDE, 0ull, 1ull + threadIdx.x);
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x] + old;
}

// Addresses in no order.
extern "C" __global__ void red_indexed(const int* index, int* to)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(to + index[k], k);
}

extern "C" __global__ void atom_indexed(const int* index, int* to, int* old)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    old[k] = atomicAdd(to + index[k], k);
}
