// The consumer only arrives at the barrier "full" and does not wait there.
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
        s[lane] = x[lane]; // <- other
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    else
    {
        asm volatile("bar.arrive 1, 64;" ::: "memory"); // fix: asm volatile("bar.sync 1, 64;" ::: "memory");
        y[lane] = s[31 - lane]; // <- fault
    }
}
