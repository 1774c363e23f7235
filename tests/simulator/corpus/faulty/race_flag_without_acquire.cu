// The producer has its fence; the consumer reads the payload without one behind the flag.
// @fault race
// @buffer value
// @launch grid=2, block=32
// @inout value = zeros(32, i32)
// @inout flag = zeros(1, i32)
// @out y = empty(32, i32)
// @expect y = arange(32) * 3
extern "C" __global__ void hand_over(int* value, int* flag, int* y)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0)
    {
        value[t] = 3 * t; // <- other
        __threadfence();
        __syncthreads();
        if (t == 0)
            atomicExch(flag, 1);
        return;
    }
    while (*(volatile int*)flag == 0)
    {
    }
    // fix: __threadfence();
    y[t] = value[t]; // <- fault
}
