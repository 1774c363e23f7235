// The residual is added into the input instead of the output.
// @fault read_only
// @buffer x
// @launch grid=1, block=64
// @in x = normal(64)
// @in residual = normal(64, seed=2)
// @out y = empty(64)
// @expect y = x + residual
extern "C" __global__ void add(float* x, float const* residual, float* y)
{
    int i = threadIdx.x;
    x[i] += residual[i]; // <- fault // fix: y[i] = x[i] + residual[i];
}
