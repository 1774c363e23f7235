// An assertion that the input has no NaN, in a helper function, meets one.
// @fault assert
// @says v == v
// @launch grid=1, block=32
// @in x = where(arange(32) == 9, nan, 1).astype(f32)
// @mended in x = ones(32, f32)
// @out y = empty(32)
// @expect y = x
__device__ float checked(float v)
{
    assert(v == v); // <- fault
    return v;
}
extern "C" __global__ void copy(float const* x, float* y)
{
    y[threadIdx.x] = checked(x[threadIdx.x]);
}
