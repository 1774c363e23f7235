// A block of 50 threads: its second warp has 18 lanes, and the masks name these.
// @launch grid=1, block=50
// @in x = integers(50, 100)
// @inout y = zeros(1, i32)
// @expect y = [x.sum()]
extern "C" __global__ void total(int const* x, int* y)
{
    int t = threadIdx.x, lane = t % 32, v = x[t];
    int lanes = min(32, blockDim.x - t / 32 * 32);
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (int d = 16; d > 0; d >>= 1)
    {
        int w = __shfl_down_sync(mask, v, d);
        if (lane + d < lanes)
            v += w;
    }
    if (lane == 0)
        atomicAdd(y, v);
}
