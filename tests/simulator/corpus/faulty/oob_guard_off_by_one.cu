// The guard of a float scaling lets one thread past the end: i <= n.
// @fault out_of_bounds
// @buffer x
// @says reads, x
// @launch grid=4, block=256
// @in x = normal(1000)
// @out y = empty(1024)
// @scalar n = 1000
// @expect y = 2 * x
extern "C" __global__ void scale(float const* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) // fix: if (i < n)
    {
        y[i] = 2.0f * x[i]; // <- fault
    }
}
