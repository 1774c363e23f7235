// The lane that waits stands in the first branch and the lane that it waits for in the second.
// @launch grid=1, block=32
// @inout flag = zeros(1, i32)
// @inout value = zeros(1, i32)
// @out y = empty(1, i32)
// @expect y = [31]
extern "C" __global__ void wait_for_last(int* flag, int* value, int* y)
{
    int t = threadIdx.x;
    if (t == 0)
    {
        while (atomicAdd(flag, 0) == 0)
        {
        }
        __threadfence();
        y[0] = *value;
    }
    else if (t == 31)
    {
        *value = t;
        __threadfence();
        atomicExch(flag, 1);
    }
}
