// Only the threads below n reach the barrier of a block whose n is no multiple of the warp.
// @fault barrier
// @launch grid=1, block=64
// @in x = normal(40)
// @out y = empty(40)
// @scalar n = 40
// @expect y = x[::-1]
extern "C" __global__ void reverse(float const* x, float* y, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < n)
    {
        s[t] = x[t];
        __syncthreads(); // <- fault // fix: ;
    }
    // fix: __syncthreads();
    if (t < n)
        y[t] = s[n - 1 - t];
    else
        s[t] = 0.0f;
}
