// Only the threads below n reach the first barrier of a block whose n is no multiple of the warp; the others go on to the
// second one.
// @fault barrier, deadlock
// @launch grid=1, block=64
// @in x = normal(40)
// @out y = empty(64)
// @scalar n = 40
// @expect y = concatenate([x[::-1], zeros(24)])
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
    float v = t < n ? s[n - 1 - t] : 0.0f;
    __syncthreads(); // <- other
    s[t] = v;
    __syncthreads(); // <- other
    y[t] = s[t];
}
