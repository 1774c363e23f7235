// Every thread iterates until its own error is small, with barriers in the loop.
// @fault barrier
// @launch grid=1, block=32
// @in x = linspace(1, 900, 32).astype(f32)
// @out y = empty(32)
extern "C" __global__ void square_roots(float const* x, float* y)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    float v = x[t];
    while (fabsf(v * v - x[t]) > 1e-3f * x[t]) // fix: while (__syncthreads_or(fabsf(v * v - x[t]) > 1e-3f * x[t]))
    {
        v = 0.5f * (v + s[t] / v);
        __syncthreads(); // <- fault
    }
    y[t] = v;
}
