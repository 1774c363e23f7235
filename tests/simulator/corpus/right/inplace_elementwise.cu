// Every element is read and written by one thread only, in place.
// @launch grid=2, block=64
// @inout x = normal(100)
// @scalar n = 100
// @expect x = maximum(x, 0)
extern "C" __global__ void relu(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = fmaxf(x[i], 0.0f);
}
