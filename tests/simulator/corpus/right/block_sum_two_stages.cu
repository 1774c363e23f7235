// Warps reduce by shuffles, the first warp reduces their sums: one barrier between.
// @launch grid=2, block=256
// @in x = integers(512, 100)
// @out y = empty(2, i32)
// @expect y = x.reshape(2, 256).sum(1)
extern "C" __global__ void total(int const* x, int* y)
{
    __shared__ int sums[32];
    int t = threadIdx.x, v = x[blockIdx.x * 256 + t];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (t % 32 == 0)
        sums[t / 32] = v;
    __syncthreads();
    if (t < 32)
    {
        v = t < blockDim.x / 32 ? sums[t] : 0;
        for (int d = 16; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, d);
        if (t == 0)
            y[blockIdx.x] = v;
    }
}
