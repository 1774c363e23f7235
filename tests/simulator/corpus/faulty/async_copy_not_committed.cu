// The copies are waited for by wait_group, but they were never committed to a group.
// @fault async_copy
// @says commit
// @launch grid=1, block=32
// @in x = normal(128)
// @out y = empty(32)
// @expect y = x[::4]
extern "C" __global__ void first_of_four(float const* x, float* y)
{
    __shared__ __align__(16) float tile[128];
    int t = threadIdx.x;
    unsigned to = __cvta_generic_to_shared(&tile[4 * t]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + 4 * t) : "memory"); // <- other
    asm volatile("cp.async.wait_group 0;" ::: "memory"); // fix: asm volatile("cp.async.wait_all;" ::: "memory");
    y[t] = tile[4 * t]; // <- fault
}
