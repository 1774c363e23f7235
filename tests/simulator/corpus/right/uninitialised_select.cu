// Elements where the mask is off were never written and are not selected.
// @launch grid=1, block=64
// @in x = partly(normal(40), 64)
// @out y = empty(64)
// @expect y = concatenate([3 * x, zeros(24)])
extern "C" __global__ void masked(float const* x, float* y)
{
    int t = threadIdx.x;
    float v = 3.0f * x[t];
    y[t] = t < 40 ? v : 0.0f;
}
