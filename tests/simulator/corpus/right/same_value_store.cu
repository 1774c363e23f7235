// All lanes of a warp store the same flag in one instruction: which of them wins makes no difference.
// @launch grid=1, block=32
// @in x = normal(32)
// @inout found = zeros(1, i32)
// @expect found = [1]
extern "C" __global__ void any_positive(float const* x, int* found)
{
    if (x[threadIdx.x] > 0.0f)
        *found = 1;
}
