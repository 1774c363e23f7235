// A three-point stencil reads its left neighbour of element 0.
// @fault out_of_bounds
// @buffer x
// @says in front of
// @launch grid=2, block=128
// @in x = normal(256)
// @out y = empty(256)
// @scalar n = 256
extern "C" __global__ void blur(float const* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float left = x[i - 1]; // <- fault // fix: float left = i > 0 ? x[i - 1] : 0.0f;
    float right = i + 1 < n ? x[i + 1] : 0.0f;
    y[i] = 0.25f * left + 0.5f * x[i] + 0.25f * right;
}
