// The lanes of a warp meet at two different __syncwarp() calls: they need not stand in one place.
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @expect y = where(arange(32) % 2 == 0, x[::-1], -x[::-1])
extern "C" __global__ void meet(int const* x, int* y)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t % 2 == 0)
    {
        __syncwarp();
        y[t] = s[31 - t];
    }
    else
    {
        int sign = -1;
        __syncwarp();
        y[t] = sign * s[31 - t];
    }
}
