// Sixteen bytes are copied asynchronously from rows that are 20 bytes apart.
// @fault misaligned
// @launch grid=1, block=4
// @in x = normal(32)
// @out y = empty(4)
// @scalar pitch = 5
// @mended scalar pitch = 8
// @expect y = x[::8]
extern "C" __global__ void first(float const* x, float* y, int pitch)
{
    __shared__ __align__(16) float tile[16];
    int t = threadIdx.x;
    unsigned to = __cvta_generic_to_shared(&tile[4 * t]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + t * pitch) : "memory"); // <- fault
    asm volatile("cp.async.wait_all;" ::: "memory");
    y[t] = tile[4 * t];
}
