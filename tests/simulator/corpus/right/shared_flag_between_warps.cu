// One warp waits for a flag of another in shared memory, with fences of the block.
// @launch grid=1, block=64
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @expect y = x[::-1]
extern "C" __global__ void hand_over(int const* x, int* y)
{
    __shared__ int row[32];
    __shared__ volatile int ready;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x >= 32)
    {
        row[lane] = x[lane];
        __syncwarp();
        if (lane == 0)
        {
            __threadfence_block();
            ready = 1;
        }
    }
    else
    {
        while (ready == 0)
        {
        }
        __threadfence_block();
        y[lane] = row[31 - lane];
    }
}
