// The thread that raises the flag has no fence; another warp's thread has one, at no known time.
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
        if (t == 32) // fix: if (t == 0)
            __threadfence();
        if (t == 0)
            atomicExch(flag, 1);
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
