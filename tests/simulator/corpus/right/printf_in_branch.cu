// One thread prints from inside a branch.
// @launch grid=2, block=32
// @inout y = zeros(1, i32)
// @expect output = "block 0: 496\nblock 1: 496\n"
// @expect y = [992]
extern "C" __global__ void report(int* y)
{
    int v = threadIdx.x;
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0)
    {
        printf("block %d: %d\n", blockIdx.x, v);
        atomicAdd(y, v);
    }
}
