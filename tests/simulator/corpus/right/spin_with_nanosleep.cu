// A waiting thread sleeps longer and longer between its looks at the flag.
// @launch grid=2, block=32
// @inout flag = zeros(1, i32)
// @inout value = zeros(1, i32)
// @out y = empty(1, i32)
// @expect y = [9]
extern "C" __global__ void publish(int* flag, int* value, int* y)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 1)
    {
        *value = 9;
        __threadfence();
        atomicExch(flag, 1);
        return;
    }
    unsigned wait = 8;
    while (atomicAdd(flag, 0) == 0)
    {
        __nanosleep(wait);
        wait = wait < 256 ? 2 * wait : wait;
    }
    __threadfence();
    y[0] = *value;
}
