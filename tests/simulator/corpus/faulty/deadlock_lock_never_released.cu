// The lock of the block is taken by one thread a warp and given back only by those with something to add.
// @fault deadlock, budget
// @launch grid=1, block=96
// @in x = array([0, 5, 0], i32)
// @inout y = zeros(1, i32)
// @expect y = [5]
extern "C" __global__ void collect(int const* x, int* y)
{
    __shared__ int lock;
    if (threadIdx.x == 0)
        lock = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
    {
        int v = x[threadIdx.x / 32];
        while (atomicCAS(&lock, 0, 1) != 0) // <- fault
        {
        } // <- other
        __threadfence();
        *(volatile int*)y += v;
        __threadfence();
        if (v != 0) // fix: ;
            atomicExch(&lock, 0);
    }
    __syncthreads(); // <- other
}
