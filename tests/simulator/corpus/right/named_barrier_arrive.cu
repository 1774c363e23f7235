// The producer only arrives at "full" and goes on to the other tile; it waits at "free" before it comes back to one.
// @launch grid=1, block=64
// @in x = integers(192, 100)
// @out y = empty(32, i32)
// @expect y = x.reshape(6, 32)[:, ::-1].sum(0)
extern "C" __global__ void stream(int const* x, int* y)
{
    __shared__ int tile[2][32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
    {
        for (int k = 0; k < 6; ++k)
        {
            asm volatile("bar.sync %0, 64;" ::"r"(3 + (k & 1)) : "memory");
            tile[k & 1][lane] = x[k * 32 + lane];
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + (k & 1)) : "memory");
        }
    }
    else
    {
        int sum = 0;
        asm volatile("bar.arrive 3, 64;" ::: "memory");
        asm volatile("bar.arrive 4, 64;" ::: "memory");
        for (int k = 0; k < 6; ++k)
        {
            asm volatile("bar.sync %0, 64;" ::"r"(1 + (k & 1)) : "memory");
            sum += tile[k & 1][31 - lane];
            if (k < 4)
                asm volatile("bar.arrive %0, 64;" ::"r"(3 + (k & 1)) : "memory");
        }
        y[lane] = sum;
    }
}
