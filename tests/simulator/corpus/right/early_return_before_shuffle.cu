// Lanes past the end leave; the others shuffle with the mask of those that stay.
// @launch grid=1, block=32
// @in x = integers(20, 100)
// @out y = empty(20, i32)
// @scalar n = 20
// @expect y = x[arange(20) ^ 1]
extern "C" __global__ void swap_pairs(int const* x, int* y, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    unsigned mask = (1u << n) - 1;
    y[t] = __shfl_xor_sync(mask, x[t], 1);
}
