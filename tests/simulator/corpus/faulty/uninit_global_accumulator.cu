// The output is added to, although nobody zeroed it.
// @fault uninitialised_global
// @buffer y
// @launch grid=1, block=64
// @in x = normal(64)
// @out y = empty(64)
// @mended inout y = zeros(64, f32)
// @expect y = x
extern "C" __global__ void accumulate(float const* x, float* y)
{
    y[threadIdx.x] += x[threadIdx.x]; // <- fault
}
