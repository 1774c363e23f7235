// The same with a volatile array, as it was taught before Volta: volatile keeps the compiler away, not the other lanes.
// @fault race
// @launch grid=1, block=64
// @in x = integers(64, 100)
// @out y = empty(1, i32)
// @expect y = x.sum()
extern "C" __global__ void sum64(int const* x, int* y)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 32)
    {
        s[t] += s[t + 32]; // <- other
        for (int d = 16; d > 0; d >>= 1)
        {
            // fix: __syncwarp();
            int v = s[t + d]; // <- fault
            // fix: __syncwarp();
            s[t] += v; // <- other
        }
    }
    if (t == 0)
        y[0] = s[0];
}
