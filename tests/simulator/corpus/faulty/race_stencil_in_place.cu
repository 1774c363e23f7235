// A smoothing stencil writes into the buffer that its neighbours read.
// @fault race
// @buffer x
// @launch grid=2, block=64
// @inout x = normal(128)
// @scalar n = 128
extern "C" __global__ void smooth(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        x[i] = (x[i - 1] + x[i + 1]) / 2; // <- fault // fix: x[i] = (x[i] + x[i]) / 2;
}
