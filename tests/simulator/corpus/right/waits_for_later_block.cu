// Block 0 waits for block 1: with two blocks both are resident, so that the later one runs.
// @launch grid=2, block=32
// @inout flag = zeros(1, i32)
// @out y = empty(2, i32)
// @expect y = [1, 1]
extern "C" __global__ void pair(int* flag, int* y)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
        while (atomicAdd(flag, 0) == 0)
        {
        }
    else
        atomicExch(flag, 1);
    y[blockIdx.x] = 1;
}
