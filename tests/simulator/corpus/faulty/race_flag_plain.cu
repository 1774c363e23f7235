// The flag that another block sets is polled by a plain load, which the compiler and the caches may keep for ever.
// @fault race, budget, deadlock
// @launch grid=2, block=32
// @inout flag = zeros(1, i32)
// @inout polls = zeros(1, i32)
// @out y = empty(1, i32)
// @expect y = [1]
extern "C" __global__ void wait_for_flag(int* flag, int* polls, int* y)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
    {
        *flag = 1; // <- other // fix: *(volatile int*)flag = 1;
    }
    else
    {
        while (*flag == 0) // <- fault // fix: while (*(volatile int*)flag == 0)
            atomicAdd(polls, 1); // <- other
        y[0] = 1;
    }
}
