// The bins are looked at while other warps count already: the look is no atomic, and there is no barrier behind it.
// @fault race
// @launch grid=1, block=96
// @in x = integers(96, 4)
// @out y = empty(4, i32)
// @inout before = zeros(1, i32)
// @expect y = bincount(x, minlength=4)
extern "C" __global__ void histogram(int const* x, int* y, int* before)
{
    __shared__ int bins[4];
    int t = threadIdx.x;
    if (t < 4)
        bins[t] = 0;
    __syncthreads();
    if (t == 0)
        before[0] = bins[0]; // <- fault
    // fix: __syncthreads();
    atomicAdd(&bins[x[t]], 1); // <- other
    __syncthreads();
    if (t < 4)
        y[t] = bins[t];
}
