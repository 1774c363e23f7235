// Only the threads with a negative element look into the freed table of slopes.
// @fault freed_pointer
// @buffer slopes
// @launch grid=2, block=32
// @in x = where(arange(64) == 50, -1, 1).astype(f32)
// @freed slopes = ones(64, f32)
// @mended in slopes = ones(64, f32)
// @out y = empty(64)
// @expect y = x
extern "C" __global__ void prelu(float const* x, float const* slopes, float* y)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    float v = x[i];
    if (v < 0.0f)
        v *= slopes[i]; // <- fault
    y[i] = v;
}
