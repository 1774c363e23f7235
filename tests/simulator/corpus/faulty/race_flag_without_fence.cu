// Block 0 publishes a value and sets a flag; without fences the flag may be seen before the value.
// @fault race
// @buffer value
// @launch grid=2, block=32
// @inout value = zeros(1, i32)
// @inout flag = zeros(1, i32)
// @out y = empty(1, i32)
// @expect y = [42]
extern "C" __global__ void publish(int* value, int* flag, int* y)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
    {
        *value = 42; // <- other
        // fix: __threadfence();
        *(volatile int*)flag = 1;
    }
    else
    {
        while (*(volatile int*)flag == 0)
        {
        }
        // fix: __threadfence();
        y[0] = *value; // <- fault
    }
}
