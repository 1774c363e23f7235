// The index of the last blocks is past 2^31 and wraps around to a negative int, which is smaller than n.
// @fault out_of_bounds
// @buffer x
// @launch grid=8388612, block=256, blocks=(8388608, 8388610)
// @in x = sparse((1 << 31) + 1000)
// @inout y = sparse((1 << 31) + 1000)
// @scalar n = (1 << 31) + 1000
extern "C" __global__ void scale(float const* x, float* y, long long n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // fix: long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2.0f * x[i]; // <- fault
}
