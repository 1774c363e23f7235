// Warps pass named barriers, arriving at some and waiting at others, and then all meet at __syncthreads().
// @launch grid=1, block=96
// @out y = empty(96, i32)
// @expect y = arange(96)[::-1]
extern "C" __global__ void meet(int* y)
{
    __shared__ int s[96];
    int t = threadIdx.x, warp = t / 32;
    s[t] = t;
    if (warp == 0)
    {
        asm volatile("bar.arrive 1, 96;" ::: "memory");
        asm volatile("bar.arrive 2, 96;" ::: "memory");
        asm volatile("bar.sync 3, 64;" ::: "memory");
    }
    else
    {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        asm volatile("bar.sync 2, 96;" ::: "memory");
        if (warp == 2)
            asm volatile("bar.sync 3, 64;" ::: "memory");
    }
    __syncthreads();
    y[t] = s[95 - t];
}
