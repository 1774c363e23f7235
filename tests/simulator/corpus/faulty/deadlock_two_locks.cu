// One warp locks a and then b, the other b and then a.
// @fault deadlock, budget
// @launch grid=1, block=64
// @inout lock = zeros(2, i32)
// @inout y = zeros(1, i32)
// @expect y = [2]
extern "C" __global__ void both(int* lock, int* y)
{
    int warp = threadIdx.x / 32;
    bool first = threadIdx.x % 32 == 0;
    int a = warp, b = 1 - warp; // fix: int a = 0, b = 1;
    if (first)
        while (atomicCAS(&lock[a], 0, 1) != 0); // <- other
    // every warp holds its first lock now, as it may happen on a GPU at any time
    __syncthreads(); // <- other // fix: ;
    if (first)
    {
        while (atomicCAS(&lock[b], 0, 1) != 0); // <- fault
        __threadfence();
        *(volatile int*)y += 1;
        __threadfence();
        atomicExch(&lock[b], 0);
        atomicExch(&lock[a], 0);
    }
    __syncthreads(); // <- other
}
