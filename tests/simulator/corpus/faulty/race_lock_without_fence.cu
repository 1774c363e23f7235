// A lock protects a list's length, but the release is no fence: the next owner may see the old length.
// @fault race
// @buffer length
// @launch grid=3, block=32
// @inout lock = zeros(1, i32)
// @inout length = zeros(1, i32)
// @expect length = [3]
extern "C" __global__ void append(int* lock, int* length)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0)
    {
    }
    // fix: __threadfence();
    *length += 1; // <- fault
    // fix: __threadfence();
    atomicExch(lock, 0);
}
