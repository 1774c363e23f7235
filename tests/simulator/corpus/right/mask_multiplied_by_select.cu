// Where the mask is off, the result is selected and not multiplied, so that infinities do not turn into NaN.
// @launch grid=1, block=64
// @in x = where(arange(64) % 5 == 0, inf, 1.5).astype(f32)
// @in mask = (arange(64) % 5 != 0).astype(u8)
// @out y = empty(64)
// @expect y = where(mask, x, 0)
extern "C" __global__ void masked(float const* x, unsigned char const* mask, float* y)
{
    int t = threadIdx.x;
    y[t] = mask[t] ? x[t] : 0.0f;
}
