// Threads past the end leave before the barrier; those that stay exchange among themselves only.
// @launch grid=1, block=128
// @in x = normal(70)
// @out y = empty(70)
// @scalar n = 70
// @expect y = x[::-1]
extern "C" __global__ void reverse(float const* x, float* y, int n)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = x[t];
    __syncthreads();
    y[t] = s[n - 1 - t];
}
