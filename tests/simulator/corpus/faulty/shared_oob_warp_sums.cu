// There is one slot per warp for the partial sums, but the block has more warps than the array has slots.
// @fault shared_out_of_bounds
// @launch grid=1, block=512
// @mended launch block=256
// @in x = ones(512, i32)
// @inout y = zeros(1, i32)
// @scalar dummy = 0
extern "C" __global__ void total(int const* x, int* y, int dummy)
{
    __shared__ int sums[8];
    int v = x[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = v; // <- fault
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(y, sums[threadIdx.x]);
}
