// The last block adds the partial sums of all, but nobody put a fence between storing a sum and counting it.
// @fault race
// @buffer partial
// @launch grid=6, block=32
// @in x = integers(192, 100)
// @inout partial = zeros(6, i32)
// @inout counter = zeros(1, u32)
// @out y = empty(1, i32)
// @expect y = x.sum()
extern "C" __global__ void total(int const* x, int* partial, unsigned* counter, int* y)
{
    int v = x[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0)
    {
        partial[blockIdx.x] = v; // <- other
        // fix: __threadfence();
        if (atomicAdd(counter, 1u) == gridDim.x - 1)
        {
            // fix: __threadfence();
            int sum = 0;
            for (int b = 0; b < gridDim.x; ++b)
                sum += partial[b]; // <- fault
            y[0] = sum;
        }
    }
}
