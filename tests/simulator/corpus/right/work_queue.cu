// Blocks take tiles from a queue until it is empty; every tile is done by one of them.
// @launch grid=3, block=32
// @in x = integers(320, 100)
// @inout next = zeros(1, u32)
// @out y = empty(10, i32)
// @expect y = x.reshape(10, 32).sum(1)
extern "C" __global__ void tiles(int const* x, unsigned* next, int* y)
{
    __shared__ unsigned tile;
    while (true)
    {
        __syncthreads();
        if (threadIdx.x == 0)
            tile = atomicAdd(next, 1u);
        __syncthreads();
        if (tile >= 10)
            return;
        int v = x[tile * 32 + threadIdx.x];
        for (int d = 16; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, d);
        if (threadIdx.x == 0)
            y[tile] = v;
    }
}
