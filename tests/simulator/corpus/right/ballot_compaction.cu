// Positive elements are packed by counting the votes of the lanes below.
// @launch grid=1, block=32
// @in x = integers(32, 100, -100)
// @inout y = zeros(32, i32)
// @expect y = concatenate([x[x > 0], zeros(32 - (x > 0).sum(), i32)])
extern "C" __global__ void compact(int const* x, int* y)
{
    int t = threadIdx.x, v = x[t];
    unsigned votes = __ballot_sync(0xffffffffu, v > 0);
    if (v > 0)
        y[__popc(votes & ((1u << t) - 1))] = v;
}
