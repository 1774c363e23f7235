// Warp reductions of the hardware for integers.
// @launch grid=1, block=64
// @in x = integers(64, 1000)
// @out y = empty(4, i32)
// @expect y = [x[:32].sum(), x[32:].sum(), x[:32].max(), x[32:].max()]
extern "C" __global__ void warps(int const* x, int* y)
{
    int t = threadIdx.x, sum = __reduce_add_sync(0xffffffffu, x[t]), top = __reduce_max_sync(0xffffffffu, x[t]);
    if (t % 32 == 0)
    {
        y[t / 32] = sum;
        y[2 + t / 32] = top;
    }
}
