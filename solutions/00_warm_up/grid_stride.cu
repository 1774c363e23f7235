// y[i] = 2 * x[i] + 1 for the n elements of x, whatever the size of the grid: two blocks must do for a million
// elements, and n may be larger than 2^32.

extern "C" __global__ void grid_stride(float const* x, float* y, long long n)
{
    long long const first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    long long const stride = static_cast<long long>(gridDim.x) * blockDim.x;

    for (long long i = first; i < n; i += stride)
    {
        y[i] = 2.0f * x[i] + 1.0f;
    }
}
