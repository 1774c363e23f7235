// Warp 0 sets a volatile flag in shared memory when its row is ready; without a fence the row may come later.
// @fault race, uninitialised_shared
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
    if (threadIdx.x < 32)
    {
        row[lane] = x[lane]; // <- other
        // fix: __threadfence_block();
        __syncwarp();
        if (lane == 0)
            ready = 1;
    }
    else
    {
        while (ready == 0)
        {
        }
        // fix: __threadfence_block();
        y[lane] = row[31 - lane]; // <- fault
    }
}
