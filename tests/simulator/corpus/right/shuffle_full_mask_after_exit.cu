// The full mask of a shuffle names lanes that have returned: only the lanes that still run are waited for, and the sum
// in lane 0 takes nothing from a lane that left.
// @launch grid=1, block=32
// @in x = integers(16, 100)
// @out y = empty(1, i32)
// @expect y = x.sum()
extern "C" __global__ void sum16(int const* x, int* y)
{
    int t = threadIdx.x;
    if (t >= 16)
        return;
    int v = x[t];
    for (int d = 8; d > 0; d >>= 1)
    {
        int w = __shfl_down_sync(0xffffffffu, v, d);
        v = t < d ? v + w : v;
    }
    if (t == 0)
        y[0] = v;
}
