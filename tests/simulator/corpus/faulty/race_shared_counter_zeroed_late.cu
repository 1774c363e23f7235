// Thread 0 zeroes the shared counter, and the others add to it without waiting for that.
// @fault race, uninitialised_shared
// @launch grid=1, block=96
// @in x = normal(96)
// @out y = empty(1, i32)
// @expect y = (x > 0).sum()
extern "C" __global__ void count_positive(float const* x, int* y)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0; // <- other
    // fix: __syncthreads();
    if (x[threadIdx.x] > 0.0f)
        atomicAdd(&count, 1); // <- fault
    __syncthreads();
    if (threadIdx.x == 0)
        y[0] = count;
}
