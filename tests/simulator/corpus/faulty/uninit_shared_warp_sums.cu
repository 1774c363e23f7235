// The second stage of a block sum reads 32 partial sums, but the block has only four warps.
// @fault uninitialised_shared
// @launch grid=1, block=128
// @in x = integers(128, 50)
// @out y = empty(1, i32)
// @expect y = x.sum()
extern "C" __global__ void total(int const* x, int* y)
{
    __shared__ int sums[32];
    int t = threadIdx.x, v = x[t];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (t % 32 == 0)
        sums[t / 32] = v;
    __syncthreads();
    if (t < 32)
    {
        v = sums[t]; // <- fault // fix: v = t < blockDim.x / 32 ? sums[t] : 0;
        for (int d = 16; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, d); // <- other
        if (t == 0)
            y[0] = v;
    }
}
