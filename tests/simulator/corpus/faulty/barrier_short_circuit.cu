// A vote over the block stands behind &&, so that only the threads with a valid element take part in it.
// @fault barrier
// @launch grid=1, block=64
// @in x = normal(50)
// @inout y = zeros(1, i32)
// @scalar n = 50
// @expect y = [1]
extern "C" __global__ void any_large(float const* x, int* y, int n)
{
    int t = threadIdx.x;
    if (t < n && __syncthreads_or(x[t] > 1.0f)) // <- fault // fix: if (__syncthreads_or(t < n && x[t] > 1.0f))
    {
        if (t == 0)
            y[0] = 1;
    }
    else if (t == n)
        y[0] = 0; // fix: ;
}
