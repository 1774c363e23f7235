// Producer and consumer warps meet at two named barriers, "full" and "free", with counts.
// @launch grid=1, block=64
// @in x = integers(160, 100)
// @out y = empty(32, i32)
// @expect y = x.reshape(5, 32)[:, ::-1].sum(0)
extern "C" __global__ void stream(int const* x, int* y)
{
    __shared__ int tile[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
    {
        for (int k = 0; k < 5; ++k)
        {
            asm volatile("bar.sync 2, 64;" ::: "memory");
            tile[lane] = x[k * 32 + lane];
            asm volatile("bar.sync 1, 64;" ::: "memory");
        }
    }
    else
    {
        int sum = 0;
        for (int k = 0; k < 5; ++k)
        {
            asm volatile("bar.sync 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += tile[31 - lane];
        }
        y[lane] = sum;
    }
}
