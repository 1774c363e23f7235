// A semaphore lets two blocks at once into a section; both only add atomically there.
// @launch grid=4, block=32
// @inout free = full(1, 2, i32)
// @inout y = zeros(1, i32)
// @expect y = [4]
// @expect free = [2]
extern "C" __global__ void section(int* free, int* y)
{
    if (threadIdx.x != 0)
        return;
    while (true)
    {
        int seen = *(volatile int*)free;
        if (seen > 0 && atomicCAS(free, seen, seen - 1) == seen)
            break;
    }
    atomicAdd(y, 1);
    atomicAdd(free, 1);
}
