// The tile is copied with cp.async and read behind a barrier, which does not wait for copies.
// @fault async_copy
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @expect y = x[::-1]
extern "C" __global__ void reverse(int const* x, int* y)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    unsigned to = __cvta_generic_to_shared(&tile[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + t) : "memory"); // <- other
    asm volatile("cp.async.commit_group;" ::: "memory");
    // fix: asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    y[t] = tile[31 - t]; // <- fault
}
