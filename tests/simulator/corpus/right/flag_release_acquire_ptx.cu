// Block 0 fills a table and releases a flag; the others acquire it and read the table.
// @launch grid=3, block=32
// @inout table = zeros(32, i32)
// @inout flag = zeros(1, i32)
// @inout y = zeros(96, i32)
// @expect y = concatenate([zeros(32), arange(32) * 7, arange(32) * 7])
extern "C" __global__ void publish(int* table, int* flag, int* y)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0)
    {
        table[t] = 7 * t;
        __syncthreads();
        if (t == 0)
            asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
        return;
    }
    if (t == 0)
    {
        int seen;
        do
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        while (seen == 0);
    }
    __syncthreads();
    y[blockIdx.x * 32 + t] = table[t];
}
