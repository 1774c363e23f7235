// Bins in shared memory are counted up with ++ instead of atomics.
// @fault race
// @says atomic
// @launch grid=1, block=128
// @in x = integers(128, 8)
// @out y = empty(8, i32)
// @expect y = bincount(x, minlength=8)
extern "C" __global__ void histogram(int const* x, int* y)
{
    __shared__ int bins[8];
    int t = threadIdx.x;
    if (t < 8)
        bins[t] = 0;
    __syncthreads();
    ++bins[x[t]]; // <- fault // fix: atomicAdd(&bins[x[t]], 1);
    __syncthreads();
    if (t < 8)
        y[t] = bins[t];
}
