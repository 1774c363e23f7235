// A barrier across blocks counts arrivals, but no fence stands between the stores and the arrival.
// @fault race
// @buffer x
// @launch grid=3, block=32
// @inout x = zeros(96, i32)
// @inout arrived = zeros(1, u32)
// @out y = empty(96, i32)
// @expect y = arange(96)[::-1]
extern "C" __global__ void exchange(int* x, unsigned* arrived, int* y)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    x[i] = i; // <- other
    // fix: __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
    {
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned*)arrived < gridDim.x)
        {
        }
        // fix: __threadfence();
    }
    __syncthreads();
    y[i] = x[95 - i]; // <- fault
}
