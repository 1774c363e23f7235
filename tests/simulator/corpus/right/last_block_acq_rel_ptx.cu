// The same with one acquire-release atomic of PTX in place of the fences.
// @launch grid=4, block=32
// @in x = integers(128, 100)
// @inout partial = zeros(4, i32)
// @inout counter = zeros(1, u32)
// @out y = empty(1, i32)
// @expect y = [x.sum()]
extern "C" __global__ void total(int const* x, int* partial, unsigned* counter, int* y)
{
    int v = x[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x != 0)
        return;
    partial[blockIdx.x] = v;
    unsigned old;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(counter) : "memory");
    if (old == gridDim.x - 1)
    {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b)
            sum += partial[b];
        y[0] = sum;
    }
}
