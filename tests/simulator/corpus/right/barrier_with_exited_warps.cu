// Whole warps leave early; the others go on to use barriers and shared memory among themselves.
// @launch grid=1, block=160
// @in x = integers(64, 100)
// @out y = empty(1, i32)
// @expect y = [x.sum()]
extern "C" __global__ void total(int const* x, int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= 64)
        return;
    s[t] = x[t];
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1)
    {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        y[0] = s[0];
}
