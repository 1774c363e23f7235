// Only half of the block meets at a named barrier; the other half does something else and ends.
// @launch grid=1, block=128
// @in x = integers(128, 100)
// @out y = empty(128, i32)
// @expect y = concatenate([x[:64][::-1], x[64:] * 2])
extern "C" __global__ void halves(int const* x, int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64)
    {
        s[t] = x[t];
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t] = s[63 - t];
    }
    else
        y[t] = 2 * x[t];
}
