// The last block to finish adds up plain partial sums, past the multiprocessor's own cache (__ldcg), without a fence.
// @launch grid=6, block=64
// @in x = integers(384, 100)
// @inout partial = zeros(6, i32)
// @inout counter = zeros(1, u32)
// @out y = empty(2, i32)
// @expect y = [x.sum(), x.sum()]
extern "C" __global__ void total(int const* x, int* partial, unsigned* counter, int* y)
{
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0)
    {
        int sum = 0;
        for (int i = 0; i < 64; ++i)
            sum += x[blockIdx.x * 64 + i];
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t < 2)
    {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b)
            sum += t == 0 ? __ldcg(partial + b) : __ldcv(partial + b);
        y[t] = sum;
    }
}
