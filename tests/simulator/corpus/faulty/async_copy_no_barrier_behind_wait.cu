// Every thread waits for its own copies only; another warp's part of the tile needs a barrier as well.
// @fault race, async_copy, uninitialised_shared
// @launch grid=1, block=64
// @in x = integers(64, 100)
// @out y = empty(64, i32)
// @expect y = x[::-1]
extern "C" __global__ void reverse(int const* x, int* y)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    unsigned to = __cvta_generic_to_shared(&tile[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + t) : "memory"); // <- other
    asm volatile("cp.async.wait_all;" ::: "memory"); // <- other
    // fix: __syncthreads();
    y[t] = tile[63 - t]; // <- fault
}
