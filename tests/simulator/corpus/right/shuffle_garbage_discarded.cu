// A sum over 16 lanes with shuffles of width 32: the upper lanes add what they get from lanes outside of the mask, and
// nobody uses their sums.
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(2, i32)
// @expect y = [x[:16].sum(), x[16:].max()]
extern "C" __global__ void halves(int const* x, int* y)
{
    int t = threadIdx.x, v = x[t];
    if (t < 16)
    {
        for (int d = 8; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffu, v, d);
        if (t == 0)
            y[0] = v;
    }
    else
    {
        for (int d = 8; d > 0; d >>= 1)
            v = max(v, __shfl_xor_sync(0xffff0000u, v, d));
        if (t == 16)
            y[1] = v;
    }
}
