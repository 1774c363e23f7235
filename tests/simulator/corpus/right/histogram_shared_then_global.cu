// A histogram with atomics in shared memory, merged into global memory by atomics.
// @launch grid=4, block=96
// @in x = integers(1000, 32)
// @inout y = zeros(32, i32)
// @scalar n = 1000
// @expect y = bincount(x, minlength=32)
extern "C" __global__ void histogram(int const* x, int* y, int n)
{
    __shared__ int bins[32];
    for (int b = threadIdx.x; b < 32; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[x[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 32; b += blockDim.x)
        atomicAdd(&y[b], bins[b]);
}
