// Threads past the end return before they store anything; the reduction still runs over the whole block.
// @fault uninitialised_shared
// @launch grid=1, block=128
// @in x = integers(100, 50)
// @out y = empty(1, i32)
// @scalar n = 100
// @expect y = x.sum()
extern "C" __global__ void total(int const* x, int* y, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t >= n) // fix: s[t] = t < n ? x[t] : 0;
        return; // fix: ;
    s[t] = x[t]; // fix: ;
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1)
    {
        if (t < d)
            s[t] += s[t + d]; // <- fault
        __syncthreads();
    }
    if (t == 0)
        y[0] = s[0];
}
