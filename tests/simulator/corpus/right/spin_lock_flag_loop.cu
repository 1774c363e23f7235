// The old idiom for a lock per lane: the critical section stands inside the loop that tries to take the lock.
// @launch grid=2, block=64
// @in cell = integers(128, 5)
// @inout lock = zeros(5, i32)
// @inout sum = zeros(5, i32)
// @expect sum = bincount(cell, weights=arange(128), minlength=5)
extern "C" __global__ void guarded(int const* cell, int* lock, int* sum)
{
    int i = blockIdx.x * 64 + threadIdx.x, c = cell[i];
    bool done = false;
    while (!done)
    {
        if (atomicCAS(&lock[c], 0, 1) == 0)
        {
            __threadfence();
            sum[c] += i;
            __threadfence();
            atomicExch(&lock[c], 0);
            done = true;
        }
    }
}
