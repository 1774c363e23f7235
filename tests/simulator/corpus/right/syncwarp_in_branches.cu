// Both halves of a warp exchange through shared memory in their own branch, each with its own mask.
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @expect y = concatenate([x[:16][::-1], x[16:][::-1] * 2])
extern "C" __global__ void halves(int const* x, int* y)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16)
    {
        s[t] = x[t];
        __syncwarp(0xffffu);
        y[t] = s[15 - t];
    }
    else
    {
        s[t] = 2 * x[t];
        __syncwarp(0xffff0000u);
        y[t] = s[47 - t];
    }
}
