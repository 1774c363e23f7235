// The tail of the last tile is copied from behind the input.
// @fault out_of_bounds
// @buffer x
// @launch grid=1, block=32
// @in x = integers(30, 100)
// @out y = empty(32, i32)
// @scalar n = 30
// @expect y = where(arange(32) < 30, append(x, [0, 0]), 0)
extern "C" __global__ void staged(int const* x, int* y, int n)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    unsigned to = __cvta_generic_to_shared(&tile[t]);
    // fix: if (t >= n) tile[t] = 0; else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + t) : "memory"); // <- fault
    asm volatile("cp.async.wait_all;" ::: "memory");
    y[t] = tile[t];
}
