// The lock is released by a plain store, against which the next atomicCAS races.
// @fault race
// @buffer lock
// @launch grid=3, block=32
// @inout lock = zeros(1, i32)
// @inout length = zeros(1, i32)
// @expect length = [3]
extern "C" __global__ void append(int* lock, int* length)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) // <- fault
    {
    }
    __threadfence();
    *(volatile int*)length += 1;
    __threadfence();
    *lock = 0; // <- other // fix: atomicExch(lock, 0);
}
