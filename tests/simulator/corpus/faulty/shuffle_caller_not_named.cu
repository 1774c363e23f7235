// The lower half of the warp calls a reduction whose mask names the upper half.
// @fault shuffle
// @says 0xffff0000
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @expect y = repeat(x.reshape(2, 16).sum(1), 16)
extern "C" __global__ void half_sums(int const* x, int* y)
{
    int t = threadIdx.x, v = x[t];
    unsigned mask = 0xffff0000u; // fix: unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;
    for (int d = 8; d > 0; d >>= 1)
        v += __shfl_xor_sync(mask, v, d, 16); // <- fault
    y[t] = v;
}
