// A volatile flag with a fence on each side: the pattern of the programming guide before acquire and release.
// @launch grid=2, block=32
// @inout value = zeros(1, f32)
// @inout flag = zeros(1, i32)
// @out y = empty(1)
// @expect y = [2.5]
extern "C" __global__ void publish(float* value, volatile int* flag, float* y)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
    {
        *value = 2.5f;
        __threadfence();
        *flag = 1;
    }
    else
    {
        while (*flag == 0)
        {
        }
        __threadfence();
        y[0] = *value;
    }
}
