// Thread 0 counts its block as finished while other warps of the block still write their rows.
// @fault race
// @buffer rows
// @launch grid=3, block=128
// @inout rows = zeros(384, i32)
// @inout counter = zeros(1, u32)
// @out y = empty(128, i32)
// @expect y = 3 * arange(128)
extern "C" __global__ void gather_rows(int* rows, unsigned* counter, int* y)
{
    __shared__ bool last;
    int t = threadIdx.x;
    rows[blockIdx.x * 128 + t] = t; // <- other
    __threadfence();
    // fix: __syncthreads();
    if (t == 0)
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last)
    {
        __threadfence();
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b)
            sum += rows[b * 128 + t]; // <- fault
        y[t] = sum;
    }
}
