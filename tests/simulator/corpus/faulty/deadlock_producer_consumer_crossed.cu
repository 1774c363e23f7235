// Producer and consumer warps each wait first for the other: "free" and "full" are taken in the wrong order.
// @fault deadlock
// @launch grid=1, block=64
// @in x = integers(128, 100)
// @out y = empty(32, i32)
// @expect y = x.reshape(4, 32).sum(0)
extern "C" __global__ void stream(int const* x, int* y)
{
    __shared__ int tile[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
    {
        for (int k = 0; k < 4; ++k)
        {
            if (k > 0)
                asm volatile("bar.sync 2, 64;" ::: "memory"); // <- fault
            tile[lane] = x[k * 32 + lane];
            asm volatile("bar.sync 1, 64;" ::: "memory"); // <- other
        }
    }
    else
    {
        int sum = 0;
        for (int k = 0; k < 4; ++k)
        {
            asm volatile("bar.sync 2, 64;" ::: "memory"); // <- other // fix: asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += tile[lane];
            asm volatile("bar.sync 1, 64;" ::: "memory"); // <- other // fix: if (k < 3) asm volatile("bar.sync 2, 64;" ::: "memory");
        }
        y[lane] = sum;
    }
}
