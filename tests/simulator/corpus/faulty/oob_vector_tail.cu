// Every thread copies four floats at once; n = 1002 is no multiple of four.
// @fault out_of_bounds
// @buffer x
// @says 16 bytes
// @launch grid=1, block=256
// @in x = normal(1002)
// @out y = empty(1002)
// @scalar n = 1002
// @expect y = x
extern "C" __global__ void copy4(float const* x, float* y, int n)
{
    int i = 4 * threadIdx.x;
    if (i >= n)
        return;
    // fix: if (i + 4 > n) { for (; i < n; ++i) y[i] = x[i]; return; }
    *reinterpret_cast<float4*>(y + i) = *reinterpret_cast<float4 const*>(x + i); // <- fault
}
