// The last warp to come to the barrier only arrives, and has nothing more to do; the one that waits goes on.
// @launch grid=1, block=96
// @in x = integers(64, 100)
// @out y = empty(32, i32)
// @expect y = x.reshape(2, 32).sum(0)
extern "C" __global__ void fold(int const* x, int* y)
{
    __shared__ int s[2][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp == 1)
    {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        y[lane] = s[0][lane] + s[1][lane];
        asm volatile("bar.sync 2, 64;" ::: "memory");
    }
    else
    {
        s[warp / 2][lane] = x[warp / 2 * 32 + lane];
        asm volatile("bar.arrive 1, 96;" ::: "memory");
        if (warp == 0)
            asm volatile("bar.sync 2, 64;" ::: "memory");
    }
}
