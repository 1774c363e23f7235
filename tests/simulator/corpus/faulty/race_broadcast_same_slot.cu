// Every warp stores its own maximum to one shared slot: the block's maximum is whoever comes last.
// @fault race
// @launch grid=1, block=128
// @in x = integers(128, 1000)
// @out y = empty(1, i32)
extern "C" __global__ void top(int const* x, int* y)
{
    __shared__ int best;
    int v = x[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1)
        v = max(v, __shfl_xor_sync(0xffffffffu, v, d));
    if (threadIdx.x % 32 == 0)
        best = v; // <- fault // fix: if (threadIdx.x == 0) best = v;
    __syncthreads();
    if (threadIdx.x == 0)
        y[0] = best;
}
