// The producer arrives at "full" first and stores the tile afterwards.
// @fault race, uninitialised_shared
// @launch grid=1, block=64
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @expect y = x[::-1]
extern "C" __global__ void hand_over(int const* x, int* y)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
    {
        // fix: s[lane] = x[lane];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[lane] = x[lane]; // <- other // fix: ;
    }
    else
    {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[lane] = s[31 - lane]; // <- fault
    }
}
