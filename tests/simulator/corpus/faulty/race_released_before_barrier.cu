// Thread 0 raises the flag for its whole block before the other warps have stored their part.
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
        // fix: __syncthreads();
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
    __syncthreads();
    y[t] = table[t]; // <- fault
}
