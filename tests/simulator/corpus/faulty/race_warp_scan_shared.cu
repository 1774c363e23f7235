// The scan of one warp in shared memory has its __syncwarp() behind the store, but none between load and store.
// @fault race
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @expect y = cumsum(x)
extern "C" __global__ void scan(int const* x, int* y)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncwarp();
    for (int d = 1; d < 32; d *= 2)
    {
        int left = t >= d ? s[t - d] : 0; // <- fault
        // fix: __syncwarp();
        s[t] += left; // <- other
        __syncwarp();
    }
    y[t] = s[t];
}
