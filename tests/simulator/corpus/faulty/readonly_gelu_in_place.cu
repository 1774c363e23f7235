// The activation is computed in place, although x is an input.
// @fault read_only
// @buffer x
// @launch grid=1, block=64
// @in x = normal(64)
// @out y = empty(64)
// @mended inout x = normal(64)
extern "C" __global__ void silu(float* x, float* y)
{
    int i = threadIdx.x;
    x[i] = x[i] / (1.0f + expf(-x[i])); // <- fault
    y[i] = x[i];
}
