// A block of 40 threads shuffles with the full mask: the lanes that the last warp does not have were never there.
// @launch grid=1, block=40
// @in x = integers(40, 100)
// @out y = empty(40, i32)
// @expect y = x[arange(40) ^ 1]
extern "C" __global__ void swap_pairs(int const* x, int* y)
{
    int t = threadIdx.x;
    y[t] = __shfl_xor_sync(0xffffffffu, x[t], 1);
}
