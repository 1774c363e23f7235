// A vote over the block stands behind &&, so that only the threads with a valid element take part in it.
// @fault barrier, deadlock
// @launch grid=1, block=64
// @in x = normal(50)
// @out y = empty(64, i32)
// @scalar n = 50
// @expect y = full(64, 1)
extern "C" __global__ void any_large(float const* x, int* y, int n)
{
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0)
        found = 0;
    __syncthreads(); // <- other
    if (t < n && __syncthreads_or(x[t] > 1.0f)) // <- fault // fix: if (__syncthreads_or(t < n && x[t] > 1.0f))
    {
        if (t == 0)
            found = 1;
    }
    __syncthreads(); // <- other
    y[t] = found;
}
