// A warp waits at a named barrier of its own and then reads what another warp stored: nobody else came there.
// @fault race
// @launch grid=1, block=96
// @inout x = arange(96, dtype=i32)
// @out y = empty(32, i32)
// @expect y = arange(32) * 2
extern "C" __global__ void last_reads_first(int* x, int* y)
{
    int t = threadIdx.x;
    if (t < 32)
        x[t] *= 2; // <- other
    // fix: __syncthreads();
    if (t >= 64)
    {
        asm volatile("bar.sync 1, 32;" ::: "memory");
        y[t - 64] = x[t - 64]; // <- fault
    }
}
