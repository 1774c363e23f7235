// A two-stage pipeline always leaves one group in flight, also in the last round, where that is the group it reads.
// @fault async_copy
// @launch grid=1, block=32
// @in x = integers(128, 100)
// @out y = empty(32, i32)
// @expect y = x.reshape(4, 32).sum(0)
__device__ void fetch(int* to, int const* from)
{
    unsigned at = __cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory"); // <- other
    asm volatile("cp.async.commit_group;" ::: "memory");
}
extern "C" __global__ void sums(int const* x, int* y)
{
    __shared__ int tile[2][32];
    int t = threadIdx.x, sum = 0;
    fetch(&tile[0][t], x + t);
    for (int k = 0; k < 4; ++k)
    {
        if (k < 3)
            fetch(&tile[(k + 1) & 1][t], x + (k + 1) * 32 + t);
        // fix: else asm volatile("cp.async.wait_group 0;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        sum += tile[k & 1][t]; // <- fault
    }
    y[t] = sum;
}
