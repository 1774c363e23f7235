// The weights were freed before the launch.
// @fault freed_pointer
// @buffer weights
// @launch grid=1, block=32
// @freed weights = ones(32, f32)
// @mended in weights = ones(32, f32)
// @in x = normal(32)
// @out y = empty(32)
// @expect y = x
extern "C" __global__ void weigh(float const* weights, float const* x, float* y)
{
    int i = threadIdx.x;
    y[i] = x[i] * weights[i]; // <- fault
}
