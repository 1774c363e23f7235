// A scan over blocks in which each waits for its left neighbour's prefix, kept beside its flag.
// @launch grid=5, block=32
// @in x = integers(160, 100)
// @inout prefix = zeros(5, i32)
// @inout flag = zeros(5, i32)
// @out y = empty(5, i32)
// @expect y = cumsum(x.reshape(5, 32).sum(1))
extern "C" __global__ void chained(int const* x, int* prefix, int* flag, int* y)
{
    int b = blockIdx.x, v = x[b * 32 + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0)
    {
        if (b > 0)
        {
            while (atomicAdd(&flag[b - 1], 0) == 0)
            {
            }
            __threadfence();
            v += prefix[b - 1];
        }
        prefix[b] = v;
        __threadfence();
        atomicExch(&flag[b], 1);
        y[b] = v;
    }
}
