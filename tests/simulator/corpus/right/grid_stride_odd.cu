// A grid-stride loop over an odd number of elements with blocks of 37 threads.
// @launch grid=3, block=37
// @in x = normal(1001)
// @out y = empty(1001)
// @scalar n = 1001
// @expect y = 2 * x + 1
// @close 1e-6
extern "C" __global__ void affine(float const* x, float* y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = 2.0f * x[i] + 1.0f;
}
