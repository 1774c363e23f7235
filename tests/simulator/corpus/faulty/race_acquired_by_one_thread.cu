// Thread 0 waits for the other block's flag and acquires; the other warps of its block go on without waiting for it.
// @fault race
// @buffer table
// @launch grid=2, block=64
// @inout table = zeros(64, i32)
// @inout flag = zeros(1, i32)
// @inout y = zeros(64, i32)
// @expect y = arange(64) * 5
extern "C" __global__ void publish(int* table, int* flag, int* y)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0)
    {
        table[t] = 5 * t; // <- other
        __syncthreads();
        if (t == 0)
        {
            __threadfence();
            atomicExch(flag, 1);
        }
        return;
    }
    if (t == 0)
    {
        while (atomicAdd(flag, 0) == 0)
        {
        }
        __threadfence();
    }
    // fix: __syncthreads();
    y[t] = table[t]; // <- fault
}
