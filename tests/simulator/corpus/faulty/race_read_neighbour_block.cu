// Each block adds the sum that its left neighbour writes in the same launch.
// @fault race
// @buffer sums
// @launch grid=4, block=32
// @in x = integers(128, 100)
// @inout sums = zeros(4, i32)
// @inout y = zeros(4, i32)
extern "C" __global__ void chained(int const* x, int* sums, int* y)
{
    int v = x[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0)
    {
        sums[blockIdx.x] = v; // <- other
        if (blockIdx.x > 0) // fix: if (false)
            y[blockIdx.x] = v + sums[blockIdx.x - 1]; // <- fault
    }
}
