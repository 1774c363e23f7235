// A grid-stride loop steps by a number of blocks that the integer division made zero.
// @fault budget
// @launch grid=1, block=32
// @in x = normal(100)
// @inout y = zeros(100, f32)
// @scalar n = 100
// @expect y = x
extern "C" __global__ void copy(float const* x, volatile float* y, int n)
{
    int stride = blockDim.x / 64 * gridDim.x; // fix: int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x; i < n; i += stride) // <- other
        y[i] = x[i]; // <- fault
}
