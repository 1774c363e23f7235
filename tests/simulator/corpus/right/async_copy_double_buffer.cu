// A pipeline of two stages: the last round waits for all groups, the others leave one in flight.
// @launch grid=2, block=64
// @in x = integers(640, 100)
// @out y = empty(128, i32)
// @expect y = x.reshape(2, 5, 64)[:, :, ::-1].sum(1).ravel()
__device__ void fetch(int* to, int const* from)
{
    unsigned at = __cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}
extern "C" __global__ void sums(int const* x, int* y)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    int const* mine = x + blockIdx.x * 320 + t;
    fetch(&tile[0][t], mine);
    for (int k = 0; k < 5; ++k)
    {
        if (k < 4)
        {
            fetch(&tile[(k + 1) & 1][t], mine + (k + 1) * 64);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        }
        else
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        sum += tile[k & 1][63 - t];
        __syncthreads();
    }
    y[blockIdx.x * 64 + t] = sum;
}
