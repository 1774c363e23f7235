// After a vote of the block, the threads of one warp store the same flag, in one instruction.
// @launch grid=1, block=64
// @in x = where(arange(64) == 40, nan, 1).astype(f32)
// @inout bad = zeros(1, i32)
// @expect bad = [1]
extern "C" __global__ void find_nan(float const* x, int* bad)
{
    bool any = __syncthreads_or(x[threadIdx.x] != x[threadIdx.x]);
    if (any && threadIdx.x < 32)
        *bad = 1;
}
