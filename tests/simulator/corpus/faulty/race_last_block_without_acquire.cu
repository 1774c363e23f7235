// The last block reads the other blocks' sums by plain loads behind a barrier, without the fence that would acquire them.
// @fault race
// @buffer partial
// @launch grid=4, block=64
// @inout partial = zeros(4, i32)
// @inout counter = zeros(1, u32)
// @out y = empty(1, i32)
// @expect y = [60]
extern "C" __global__ void total(int* partial, unsigned* counter, int* y)
{
    __shared__ bool last;
    if (threadIdx.x == 0)
    {
        partial[blockIdx.x] = 10 * blockIdx.x; // <- other
        __threadfence();
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 32)
    {
        // fix: __threadfence();
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b)
            sum += partial[b]; // <- fault
        y[0] = sum;
    }
}
