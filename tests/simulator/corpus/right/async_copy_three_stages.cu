// A pipeline of three stages commits a group in every round, an empty one at the end, so that one wait fits all rounds.
// @launch grid=1, block=64
// @in x = integers(512, 100)
// @out y = empty(64, i32)
// @expect y = x.reshape(8, 64)[:, ::-1].sum(0)
extern "C" __global__ void sums(int const* x, int* y)
{
    __shared__ int tile[3][64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 10; ++k)
    {
        if (k < 8)
        {
            unsigned at = __cvta_generic_to_shared(&tile[k % 3][t]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(x + k * 64 + t) : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (k < 2)
            continue;
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        sum += tile[(k - 2) % 3][63 - t];
        __syncthreads();
    }
    y[t] = sum;
}
