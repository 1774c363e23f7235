// The last block resets the counter by a plain store: all others have counted before, as it knows.
// @launch grid=4, block=32
// @inout counter = zeros(1, u32)
// @inout y = zeros(1, i32)
// @expect counter = [0]
// @expect y = [4]
extern "C" __global__ void arrive(unsigned* counter, int* y)
{
    if (threadIdx.x == 0)
    {
        __threadfence();
        unsigned before = atomicAdd(counter, 1u);
        if (before == gridDim.x - 1)
        {
            __threadfence();
            *counter = 0;
            y[0] = before + 1;
        }
    }
}
