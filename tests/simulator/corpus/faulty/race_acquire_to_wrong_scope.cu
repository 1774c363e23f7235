// The value is released to the device, and the other block acquires it for its own block only.
// @fault race
// @buffer value
// @launch grid=2, block=32
// @inout value = zeros(1, i32)
// @inout flag = zeros(1, i32)
// @out y = empty(1, i32)
// @expect y = [7]
extern "C" __global__ void hand_over(int* value, int* flag, int* y)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
    {
        *value = 7; // <- other
        __threadfence();
        *(volatile int*)flag = 1;
        return;
    }
    while (*(volatile int*)flag == 0)
    {
    }
    __threadfence_block(); // fix: __threadfence();
    y[0] = *value; // <- fault
}
