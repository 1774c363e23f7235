// The mask of __syncwarp() holds the lower half only, and the upper half's values are read behind it.
// @fault race, uninitialised_shared
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(16, i32)
// @expect y = x[:16] + x[16:]
extern "C" __global__ void fold(int const* x, int* y)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = x[t]; // <- other
    // fix: __syncwarp();
    if (t < 16)
    {
        __syncwarp(0xffffu);
        y[t] = s[t] + s[t + 16]; // <- fault
    }
}
