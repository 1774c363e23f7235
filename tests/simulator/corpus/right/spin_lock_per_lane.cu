// Every lane takes the same lock in turn: since Volta a lane that waits does not stop the one that holds it.
// @launch grid=2, block=32
// @inout lock = zeros(1, i32)
// @inout count = zeros(1, i32)
// @expect count = [64]
extern "C" __global__ void locked(int* lock, int* count)
{
    while (atomicCAS(lock, 0, 1) != 0)
    {
    }
    __threadfence();
    *(volatile int*)count += 1;
    __threadfence();
    atomicExch(lock, 0);
}
