// Even warps wait at one named barrier and odd warps at another, each counting the whole block.
// @fault deadlock
// @launch grid=1, block=128
// @out y = empty(128, i32)
// @expect y = arange(128) ^ 32
extern "C" __global__ void swap(int* y)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    if (t / 32 % 2 == 0)
        asm volatile("bar.sync 1, 128;" ::: "memory"); // <- fault
    else
        asm volatile("bar.sync 2, 128;" ::: "memory"); // <- other // fix: asm volatile("bar.sync 1, 128;" ::: "memory");
    y[t] = s[t ^ 32];
}
