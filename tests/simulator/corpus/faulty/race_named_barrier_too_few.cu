// The half of the block that stores the second tile meets at another named barrier than those that read it.
// @fault race, uninitialised_shared
// @launch grid=1, block=128
// @in x = integers(128, 100)
// @out y = empty(128, i32)
// @expect y = x[::-1]
extern "C" __global__ void reverse(int const* x, int* y)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = x[t]; // <- other
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory"); // fix: asm volatile("bar.sync 1, 128;" ::: "memory");
    y[t] = s[127 - t]; // <- fault
}
