// The bins of a shared histogram are counted up without being zeroed first.
// @fault uninitialised_shared
// @launch grid=2, block=64
// @in x = integers(128, 16)
// @inout y = zeros(16, i32)
// @expect y = bincount(x, minlength=16)
extern "C" __global__ void histogram(int const* x, int* y)
{
    __shared__ int bins[16];
    int t = threadIdx.x;
    // fix: if (t < 16) bins[t] = 0; __syncthreads();
    atomicAdd(&bins[x[blockIdx.x * 64 + t]], 1); // <- fault
    __syncthreads();
    if (t < 16)
        atomicAdd(&y[t], bins[t]); // <- other
}
