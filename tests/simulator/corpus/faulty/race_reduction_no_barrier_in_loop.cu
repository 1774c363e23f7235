// A block's tree reduction lacks the barrier between its steps.
// @fault race
// @launch grid=2, block=256
// @in x = normal(512)
// @out y = empty(2)
// @expect y = x.reshape(2, 256).astype(f64).sum(1)
// @close 1e-4
extern "C" __global__ void block_sum(float const* x, float* y)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1)
    {
        if (t < d)
            s[t] += s[t + d]; // <- fault
        // fix: __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}
