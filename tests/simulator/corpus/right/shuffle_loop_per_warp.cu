// The trip count of the loop with the shuffle differs from warp to warp, but not within one.
// @launch grid=1, block=96
// @in x = integers(96, 100)
// @out y = empty(96, i32)
// @expect y = concatenate([roll(x[32 * w:32 * w + 32], -w) for w in range(3)])
extern "C" __global__ void rotate(int const* x, int* y)
{
    int t = threadIdx.x, warp = t / 32, v = x[t];
    for (int k = 0; k < warp; ++k)
        v = __shfl_sync(0xffffffffu, v, (t + 1) % 32);
    y[t] = v;
}
