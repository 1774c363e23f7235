// One fence of thread 0 behind the barrier is enough for the stores of its whole block: fences are cumulative.
// @launch grid=5, block=64
// @inout rows = zeros(320, i32)
// @inout counter = zeros(1, u32)
// @out y = empty(64, i32)
// @expect y = arange(320).reshape(5, 64).sum(0)
extern "C" __global__ void column_sums(int* rows, unsigned* counter, int* y)
{
    __shared__ bool last;
    int t = threadIdx.x;
    rows[blockIdx.x * 64 + t] = blockIdx.x * 64 + t;
    __syncthreads();
    if (t == 0)
    {
        __threadfence();
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last)
    {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b)
            sum += rows[b * 64 + t];
        y[t] = sum;
    }
}
