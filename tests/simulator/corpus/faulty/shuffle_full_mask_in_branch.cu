// Half of the warp shuffles with a mask that names all 32 lanes, while the other half waits at the barrier.
// @fault shuffle, deadlock
// @launch grid=1, block=32
// @in x = integers(16, 100)
// @out y = empty(32, i32)
// @expect y = full(32, x.sum())
extern "C" __global__ void sum16(int const* x, int* y)
{
    __shared__ int sum;
    int t = threadIdx.x;
    if (t < 16)
    {
        int v = x[t];
        for (int d = 8; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, d); // <- fault // fix: v += __shfl_down_sync(0xffffu, v, d);
        if (t == 0)
            sum = v;
    }
    __syncthreads(); // <- other
    y[t] = sum;
}
