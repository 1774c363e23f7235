// y[i] = 2 * x[i] + 1 for the n elements of x, whatever the size of the grid: two blocks must do for a million
// elements, and n may be larger than 2^32.

extern "C" __global__ void grid_stride(float const* x, float* y, long long n)
{
    long long const first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;

    // YOUR TURN: this thread does one element and stops. Let it go on, in steps of the whole grid, until there are no
    // more elements.
    if (first < n)
    {
        y[first] = 2.0f * x[first] + 1.0f;
    }
}
