// Inside a branch the active lanes elect a leader that adds for all of them.
// @launch grid=2, block=64
// @in x = integers(128, 100, -100)
// @inout count = zeros(1, i32)
// @expect count = [(x > 0).sum()]
extern "C" __global__ void count_positive(int const* x, int* count)
{
    if (x[blockIdx.x * 64 + threadIdx.x] > 0)
    {
        unsigned active = __activemask();
        if (threadIdx.x % 32 == __ffs(active) - 1)
            atomicAdd(count, __popc(active));
    }
}
