// Elements past 2^31 are reached with 64-bit indices.
// @launch grid=8388612, block=256, blocks=(8388610, 8388612)
// @in x = sparse((1 << 31) + 1000)
// @inout y = sparse((1 << 31) + 1000)
// @inout last = zeros(1, i64)
// @scalar n = (1 << 31) + 1000
// @expect last = [(1 << 31) + 999]
extern "C" __global__ void scale(float const* x, float* y, unsigned long long* last, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        y[i] = x[i] + 1.0f;
        if (i == n - 1)
            atomicMax(last, (unsigned long long)i);
    }
}
