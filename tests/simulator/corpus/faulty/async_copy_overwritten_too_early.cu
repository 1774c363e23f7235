// The element is zeroed while its asynchronous copy is still in flight.
// @fault async_copy, race
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @scalar n = 20
// @expect y = where(arange(32) < 20, x, 0)
extern "C" __global__ void padded(int const* x, int* y, int n)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    unsigned to = __cvta_generic_to_shared(&tile[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + t) : "memory"); // <- other
    // fix: asm volatile("cp.async.wait_all;" ::: "memory");
    if (t >= n)
        tile[t] = 0; // <- fault
    asm volatile("cp.async.wait_all;" ::: "memory"); // <- other
    __syncthreads();
    y[t] = tile[t]; // <- other
}
