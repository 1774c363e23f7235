// A named barrier counts 128 threads, and the block's second half never comes to it.
// @fault deadlock
// @launch grid=1, block=128
// @out y = empty(64, i32)
// @expect y = arange(64) ^ 32
extern "C" __global__ void half_block(int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= 64)
        return;
    s[t] = t;
    asm volatile("bar.sync 1, 128;" ::: "memory"); // <- fault // fix: asm volatile("bar.sync 1, 64;" ::: "memory");
    y[t] = s[t ^ 32];
}
