// The counter of finished blocks was never set to zero.
// @fault uninitialised_global
// @buffer counter
// @launch grid=4, block=32
// @out counter = empty(1, u32)
// @mended inout counter = zeros(1, u32)
// @out last = empty(1, i32)
// @expect counter = [4]
extern "C" __global__ void finish(unsigned* counter, int* last)
{
    if (threadIdx.x == 0 && atomicAdd(counter, 1u) == gridDim.x - 1) // <- fault
        last[0] = 1;
}
