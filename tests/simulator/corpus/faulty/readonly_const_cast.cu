// A const pointer is cast away to clear the padding of the input.
// @fault read_only
// @buffer x
// @launch grid=1, block=32
// @in x = normal(32)
// @out y = empty(32)
// @scalar n = 30
// @expect y = where(arange(32) < 30, x, 0)
extern "C" __global__ void padded(float const* x, float* y, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        const_cast<float*>(x)[i] = 0.0f; // <- fault // fix: ;
    y[i] = x[i]; // fix: y[i] = i < n ? x[i] : 0.0f;
}
